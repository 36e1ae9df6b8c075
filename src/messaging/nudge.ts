/**
 * Runs something at once when it is called, and once more at the end of the turn of the event loop if it was called
 * again meanwhile: nothing that happened after a run goes unseen, and a burst does not run it a thousand times.
 */
export class Nudge {
  readonly #run: () => void
  #resting = false
  #again = false

  constructor(run: () => void) {
    this.#run = run
  }

  call(): void {
    if (this.#resting) {
      this.#again = true
      return
    }
    this.#resting = true
    setImmediate(() => {
      this.#resting = false
      if (!this.#again) return
      this.#again = false
      this.call()
    })
    this.#run()
  }
}
