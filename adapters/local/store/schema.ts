/**
 * The chat server's own database. It is a platform's state, not Golem's: the core never reads it.
 *
 * WAL with `synchronous=FULL`: what was committed survives a loss of power. `secure_delete=FAST` overwrites what a
 * deletion frees. The page cache is small, because one room's newest page is all that is hot.
 */
import Database from 'better-sqlite3'

const VERSION = 1
/** Code of the error that says so. */
export const NEWER = 'NEWER'

const TABLES = `
create table meta (key text primary key, value text not null) without rowid;
create table rooms (
  id text primary key, kind text not null, title text not null, archived integer not null default 0, at integer not null
) without rowid;
create table people (id text primary key, name text not null, kind text not null) without rowid;
create table members (
  room text not null, person text not null, at integer not null, primary key (room, person)
);
create table messages (
  id integer primary key autoincrement, room text not null, thread integer, author text not null, agent text,
  text text not null, mentions text, buttons text, reply_to integer, silent integer not null default 0,
  at integer not null, edited integer, rev integer not null default 0, deleted integer not null default 0
);
create index messages_room on messages (room, id);
create index messages_thread on messages (thread, id) where thread is not null;
create table files (
  id text primary key, room text not null, message integer, pos integer not null default 0, name text not null,
  mime text not null, bytes integer not null, at integer not null
) without rowid;
create index files_message on files (message, pos) where message is not null;
create index files_loose on files (at) where message is null;
create table reactions (
  message integer not null, emoji text not null, person text not null, at integer not null,
  primary key (message, emoji, person)
);
create table log (id integer primary key autoincrement, type text not null, room text not null, message integer);
create table deliveries (
  seq integer primary key autoincrement, room text not null, event text not null, raw text not null
);
create index deliveries_room on deliveries (room, seq);
create table keys (
  scope text not null, key text not null, hash text not null, message integer not null, at integer not null,
  primary key (scope, key)
) without rowid;
create index keys_at on keys (at);
`

/** Opens the file, making or checking its tables. Throws SQLite's own error, or one with the code {@link NEWER}. */
export function openDatabase(file: string, birth: () => string): Database.Database {
  const db = new Database(file)
  try {
    db.pragma('busy_timeout = 2000')
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    db.pragma('cache_size = -1024')
    db.pragma('secure_delete = FAST')
    db.pragma('journal_size_limit = 4194304')
    const version = Number(db.pragma('user_version', { simple: true }))
    if (version > VERSION) {
      const message = `${file} was written by a newer Golem (version ${version} of its tables, this one knows ${VERSION})`
      throw Object.assign(new Error(message), { code: NEWER })
    }
    if (version === 0) {
      db.transaction(() => {
        db.exec(TABLES)
        db.prepare('insert into meta values (?, ?)').run('birth', birth())
        db.pragma(`user_version = ${VERSION}`)
      }).immediate()
    }
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
