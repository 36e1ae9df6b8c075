/**
 * Loaded before the daemon (`node --import`): finds every durable write and every call of a platform, numbers them by
 * name, writes them down, and kills the process at the one that is asked for. The product knows nothing of it.
 *
 * GOLEM_CRASH_TRACE  file to which each point's name is appended
 * GOLEM_CRASH_FROM   what the numbers begin behind: those of an earlier life that ended by itself
 * GOLEM_CRASH_AT     name of the point at which the process dies, e.g. `golem.db commit before #4`
 */
import './away.mjs'
import './sqlite.mjs'
import './files.mjs'
import './network.mjs'
