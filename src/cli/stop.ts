import { EXIT } from './exit.js'
import type { World } from './world.js'

/** SIGTERM, SIGINT, or the terminal is closed: the first one asks, the second one does not wait for the answer. */
export class StopRequest {
  asked = false
  readonly wanted: Promise<void>
  #ask: () => void = () => {}

  constructor(private readonly world: World) {
    this.wanted = new Promise((resolveWanted) => {
      this.#ask = resolveWanted
    })
  }

  listen(told: (signal: string, again: boolean) => void): () => void {
    const undo = (['SIGHUP', 'SIGINT', 'SIGTERM'] as const).map((signal) =>
      this.world.on(signal, () => {
        told(signal, this.asked)
        if (this.asked) this.world.exit(EXIT.unexpected)
        this.asked = true
        this.#ask()
      }),
    )
    return () => {
      for (const one of undo) one()
    }
  }
}
