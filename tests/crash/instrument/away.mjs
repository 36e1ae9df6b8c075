/**
 * GOLEM_CRASH_AWAY  how long the daemon was down, in milliseconds: its clock is ahead by that much. A restart takes a
 *                   moment in a test and a while in a cellar; what waits for a time-out then has waited it out.
 */
const ahead = Number(process.env.GOLEM_CRASH_AWAY ?? 0)

if (ahead > 0) {
  const Real = globalThis.Date
  globalThis.Date = class Ahead extends Real {
    constructor(...args) {
      if (args.length === 0) super(Real.now() + ahead)
      else super(...args)
    }

    static now() {
      return Real.now() + ahead
    }
  }
}
