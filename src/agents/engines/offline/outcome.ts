/**
 * What became of one line. `asked`: a teammate works on it, and the follow-up turn will speak. `nothing`: it was
 * understood, and there is no answer.
 */
export type Outcome = { say: string } | 'asked' | 'nothing'
