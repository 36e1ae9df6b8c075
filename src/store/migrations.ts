/** The schema, step by step. A step that has shipped is never changed: add one. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  -- What Golem keeps of a chat.
  CREATE TABLE chats (
    key TEXT PRIMARY KEY, connection TEXT NOT NULL, native TEXT NOT NULL, kind TEXT NOT NULL, title TEXT,
    created_at INTEGER NOT NULL, last_at INTEGER NOT NULL, messages INTEGER NOT NULL DEFAULT 0,
    bot_turns INTEGER NOT NULL DEFAULT 0, quiet_noticed INTEGER NOT NULL DEFAULT 0,
    hint_given INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;

  -- One context. ctx counts the lines that have entered it; fresh_from is where /new cut it.
  CREATE TABLE conversations (
    key TEXT PRIMARY KEY, chat TEXT NOT NULL, thread TEXT, owner TEXT,
    ctx INTEGER NOT NULL DEFAULT 0, fresh_from INTEGER NOT NULL DEFAULT 0, answered INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE people (
    chat TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, aliases TEXT, seen_at INTEGER NOT NULL,
    PRIMARY KEY (chat, id)
  ) STRICT, WITHOUT ROWID;

  -- The transcript. text: as people see it. shown: as an agent is shown it, where that differs.
  -- ctx: place in the context, null while the line waits outside of it.
  CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, chat TEXT NOT NULL, conversation TEXT NOT NULL, native TEXT, thread TEXT,
    chain TEXT, kind TEXT NOT NULL, author_id TEXT NOT NULL, author_name TEXT NOT NULL, author_kind TEXT NOT NULL,
    agent TEXT, text TEXT, shown TEXT, at INTEGER NOT NULL, received_at INTEGER NOT NULL, reply_to TEXT, ctx INTEGER,
    edited_at INTEGER, deleted_at INTEGER, files TEXT, decision TEXT, turn INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX messages_native ON messages (chat, native) WHERE native IS NOT NULL;
  CREATE INDEX messages_chat ON messages (chat, id);
  CREATE INDEX messages_context ON messages (conversation, ctx) WHERE ctx IS NOT NULL;
  CREATE INDEX messages_outside ON messages (conversation, id) WHERE ctx IS NULL;
  CREATE INDEX messages_turn ON messages (turn) WHERE turn IS NOT NULL;

  -- Every inbound event once: the key is connection and event identity.
  CREATE TABLE events (key TEXT PRIMARY KEY, message INTEGER, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX events_at ON events (at);

  CREATE TABLE turns (
    id INTEGER PRIMARY KEY AUTOINCREMENT, chat TEXT NOT NULL, conversation TEXT NOT NULL, lane TEXT NOT NULL,
    connection TEXT NOT NULL, agent TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL, reason TEXT,
    addressed INTEGER NOT NULL, sender TEXT, requester_id TEXT, requester_name TEXT, reply_to TEXT,
    message INTEGER, thread TEXT, request INTEGER, responders TEXT, can TEXT NOT NULL,
    created_at INTEGER NOT NULL, last_at INTEGER NOT NULL, not_before INTEGER NOT NULL, started_at INTEGER,
    first_event_at INTEGER, settled_at INTEGER, boot TEXT, effects TEXT, attempt INTEGER NOT NULL DEFAULT 0,
    hop INTEGER NOT NULL DEFAULT 0, items INTEGER NOT NULL DEFAULT 1, characters INTEGER NOT NULL DEFAULT 0,
    debounced INTEGER NOT NULL DEFAULT 0, ask INTEGER, follows INTEGER, trace TEXT, shown TEXT, tools TEXT,
    usage TEXT, files TEXT
  ) STRICT;
  CREATE INDEX turns_queued ON turns (lane, id) WHERE state = 'queued';
  CREATE INDEX turns_running ON turns (agent) WHERE state = 'running';
  CREATE INDEX turns_waiting ON turns (chat, sender) WHERE state = 'queued';
  CREATE INDEX turns_follows ON turns (follows) WHERE follows IS NOT NULL;
  CREATE INDEX turns_conversation ON turns (conversation, id);

  CREATE TABLE turn_messages (turn INTEGER NOT NULL, message INTEGER NOT NULL, PRIMARY KEY (turn, message))
    STRICT, WITHOUT ROWID;
  CREATE INDEX turn_messages_message ON turn_messages (message);

  CREATE TABLE asks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, turn INTEGER NOT NULL, chat TEXT NOT NULL, conversation TEXT NOT NULL,
    asker TEXT NOT NULL, teammate TEXT NOT NULL, task TEXT NOT NULL, state TEXT NOT NULL, depth INTEGER NOT NULL,
    chain TEXT NOT NULL, root INTEGER, created_at INTEGER NOT NULL, deadline INTEGER NOT NULL,
    settled_at INTEGER, result INTEGER
  ) STRICT;
  CREATE INDEX asks_turn ON asks (turn);
  CREATE INDEX asks_open ON asks (deadline) WHERE state = 'open';
  CREATE INDEX asks_root ON asks (root);

  -- The outbox: one row, one call. ready_at: not before, without holding up others. not_before: a retry, holds its lane.
  CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, connection TEXT NOT NULL, chat TEXT NOT NULL,
    conversation TEXT NOT NULL, turn INTEGER, message INTEGER, line INTEGER, role TEXT NOT NULL, kind TEXT NOT NULL,
    op TEXT NOT NULL, target INTEGER, priority INTEGER NOT NULL, state TEXT NOT NULL, attempt INTEGER NOT NULL DEFAULT 0,
    ready_at INTEGER NOT NULL, not_before INTEGER NOT NULL, created_at INTEGER NOT NULL, sending_at INTEGER,
    settled_at INTEGER, native TEXT, ambiguous INTEGER NOT NULL DEFAULT 0, ladder INTEGER NOT NULL DEFAULT 0,
    failure TEXT, text TEXT, log TEXT NOT NULL DEFAULT '[]'
  ) STRICT;
  CREATE INDEX outbox_lane ON outbox (conversation, priority, id) WHERE state = 'pending';
  CREATE INDEX outbox_sending ON outbox (conversation) WHERE state = 'sending';
  CREATE INDEX outbox_turn ON outbox (turn) WHERE turn IS NOT NULL;
  CREATE INDEX outbox_message ON outbox (message) WHERE message IS NOT NULL;
  CREATE INDEX outbox_native ON outbox (chat, native) WHERE native IS NOT NULL;

  -- Heads of the two queues, one row a lane: what may start is found by one index.
  CREATE TABLE lanes (
    queue TEXT NOT NULL, key TEXT NOT NULL, connection TEXT NOT NULL, chat TEXT NOT NULL, waiting INTEGER NOT NULL,
    running INTEGER, head_at INTEGER NOT NULL, PRIMARY KEY (queue, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX lanes_ready ON lanes (queue, head_at) WHERE running IS NULL AND waiting > 0;

  -- Buttons: only the hash of a token is kept.
  CREATE TABLE buttons (
    hash TEXT PRIMARY KEY, operation INTEGER NOT NULL, action TEXT NOT NULL, requester TEXT, connection TEXT NOT NULL,
    expires_at INTEGER NOT NULL, used_at INTEGER, used_by TEXT
  ) STRICT, WITHOUT ROWID;

  CREATE VIRTUAL TABLE messages_fts USING fts5 (
    tokens, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
  );
  CREATE TABLE knowledge (id INTEGER PRIMARY KEY, source TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL) STRICT;
  CREATE VIRTUAL TABLE knowledge_fts USING fts5 (
    title, tokens, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
  );
  `,
  `
  -- Who has spoken in a thread, and what hangs on its first message.
  CREATE INDEX messages_thread ON messages (chat, thread, kind, author_id) WHERE thread IS NOT NULL;
  CREATE INDEX messages_chain ON messages (chat, chain) WHERE chain IS NOT NULL;
  CREATE INDEX turns_ask ON turns (ask) WHERE ask IS NOT NULL;
  CREATE INDEX turns_request ON turns (request, id) WHERE request <> id;
  CREATE INDEX outbox_target ON outbox (target) WHERE target IS NOT NULL;
  CREATE INDEX outbox_dropped ON outbox (settled_at) WHERE state = 'cancelled' AND attempt = 0;
  CREATE INDEX buttons_expiry ON buttons (expires_at);

  -- The agent of the head: lanes of an agent that is busy everywhere are passed over without looking into them.
  ALTER TABLE lanes ADD COLUMN agent TEXT NOT NULL DEFAULT '';
  `,
  `
  -- Parts of one utterance (an album, a text that the platform cut) share its name. partial: more of it may follow.
  ALTER TABLE messages ADD COLUMN utterance TEXT;
  ALTER TABLE messages ADD COLUMN partial INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX messages_utterance ON messages (chat, utterance) WHERE utterance IS NOT NULL;
  CREATE INDEX messages_partial ON messages (chat, author_id, id) WHERE partial = 1;
  -- outside: its author is of another organisation. read_back: not heard, but read from the platform's history.
  ALTER TABLE messages ADD COLUMN outside INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE messages ADD COLUMN read_back INTEGER NOT NULL DEFAULT 0;

  -- Chats that go on under another id. former: chatKey:native under which a line or a post was known before, where the
  -- new chat counts its messages anew. memory: its memory file has moved too.
  CREATE TABLE moves (
    was TEXT PRIMARY KEY, now TEXT NOT NULL, native TEXT NOT NULL, keeps_ids INTEGER NOT NULL, at INTEGER NOT NULL,
    memory INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX moves_now ON moves (now);
  ALTER TABLE messages ADD COLUMN former TEXT;
  CREATE INDEX messages_former ON messages (former) WHERE former IS NOT NULL;
  ALTER TABLE outbox ADD COLUMN former TEXT;
  CREATE INDEX outbox_former ON outbox (former) WHERE former IS NOT NULL;

  -- gap: earlier lines may be missing (1), or cannot be read (2). whole: the chat is known from its first line on.
  ALTER TABLE conversations ADD COLUMN gap INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE chats ADD COLUMN whole INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE chats ADD COLUMN sees TEXT NOT NULL DEFAULT 'all';
  -- Places that are being read again after an absence, and the last message that is known for sure. thread: '' is none.
  CREATE TABLE behind (
    chat TEXT NOT NULL, thread TEXT NOT NULL, connection TEXT NOT NULL, after TEXT NOT NULL, PRIMARY KEY (chat, thread)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- When the first attempt began whose effect is unknown: a platform remembers a key only for some time.
  ALTER TABLE outbox ADD COLUMN unsure_since INTEGER;
  UPDATE outbox SET unsure_since = sending_at WHERE ambiguous > 0;
  `,
  `
  -- Turns that a time has run. next_at: null after the last run. looked_at: when next_at was worked out. One of cron and at.
  CREATE TABLE schedules (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, source TEXT NOT NULL, chat TEXT NOT NULL,
    connection TEXT NOT NULL, conversation TEXT, thread TEXT, agent TEXT, cron TEXT, at INTEGER, timezone TEXT NOT NULL,
    text TEXT NOT NULL, missed TEXT NOT NULL, made_by TEXT, made_by_name TEXT, made_in INTEGER, made_turn INTEGER,
    made_at INTEGER NOT NULL, next_at INTEGER, last_due INTEGER, looked_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX schedules_configured ON schedules (name) WHERE source = 'config';
  CREATE INDEX schedules_due ON schedules (next_at) WHERE next_at IS NOT NULL;
  CREATE INDEX schedules_looked ON schedules (looked_at);
  CREATE INDEX schedules_chat ON schedules (chat);
  -- What became of each due time, once, with all that its receipt tells of a schedule that may be gone.
  CREATE TABLE schedule_runs (
    schedule INTEGER NOT NULL, due INTEGER NOT NULL, at INTEGER NOT NULL, what TEXT NOT NULL, name TEXT NOT NULL,
    timezone TEXT NOT NULL, made_by TEXT, missed INTEGER NOT NULL, message INTEGER, PRIMARY KEY (schedule, due)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX schedule_runs_message ON schedule_runs (message) WHERE message IS NOT NULL;
  CREATE INDEX schedule_runs_at ON schedule_runs (at);

  -- Models that people chose: for a conversation, or for a whole chat.
  CREATE TABLE model_choices (
    place TEXT NOT NULL, chat TEXT NOT NULL, agent TEXT NOT NULL, model TEXT NOT NULL, by_id TEXT NOT NULL,
    by_name TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (place, agent)
  ) STRICT, WITHOUT ROWID;

  -- Tokens by conversation, agent and day (UTC).
  CREATE TABLE usage_days (
    day TEXT NOT NULL, conversation TEXT NOT NULL, chat TEXT NOT NULL, agent TEXT NOT NULL, turns INTEGER NOT NULL,
    input INTEGER NOT NULL, output INTEGER NOT NULL, cached INTEGER NOT NULL, cost REAL NOT NULL,
    PRIMARY KEY (day, conversation, agent)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX usage_days_conversation ON usage_days (conversation);
  `,
  `
  -- Questions to people, each bound to its turn, its chat and what it is about (subject: a hash). used_at: the decision
  -- was handed to the agent, which happens once. code: what an answer in words names; never the same twice in a chat.
  CREATE TABLE approvals (
    id INTEGER PRIMARY KEY AUTOINCREMENT, turn INTEGER NOT NULL, chat TEXT NOT NULL, conversation TEXT NOT NULL,
    connection TEXT NOT NULL, message INTEGER, requester_id TEXT, requester_name TEXT, approvers TEXT NOT NULL,
    agent TEXT NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL, text TEXT NOT NULL, options TEXT NOT NULL,
    code TEXT NOT NULL, state TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
    settled_at INTEGER, by_id TEXT, by_name TEXT, choice INTEGER, how TEXT, used_at INTEGER, operation INTEGER,
    again TEXT NOT NULL DEFAULT 'no'
  ) STRICT;
  CREATE INDEX approvals_turn ON approvals (turn);
  CREATE INDEX approvals_code ON approvals (chat, code);
  CREATE INDEX approvals_open ON approvals (expires_at) WHERE state = 'open';
  CREATE INDEX approvals_unused ON approvals (turn) WHERE state <> 'open' AND used_at IS NULL;
  CREATE INDEX turns_parked ON turns (conversation) WHERE state = 'parked';
  `,
  `
  -- How often people were shown the answer before it was there, and when last.
  ALTER TABLE turns ADD COLUMN previews TEXT;
  `,
  `
  -- Who each account is on its platform, so that what one says is known by the others. gone: it is in that chat no more.
  CREATE TABLE accounts (
    connection TEXT PRIMARY KEY, id TEXT NOT NULL, name TEXT NOT NULL, aliases TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE chats ADD COLUMN gone INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX chats_native ON chats (native);
  `,
  `
  -- What a turn has said beside its answer, each with the run that said it: a later run says nothing twice.
  CREATE TABLE turn_posts (
    turn INTEGER NOT NULL, place TEXT NOT NULL, hash TEXT NOT NULL, attempt INTEGER NOT NULL, line INTEGER NOT NULL,
    PRIMARY KEY (turn, place, hash)
  ) STRICT, WITHOUT ROWID;

  -- What people had changed in a room, and who: it wins over golem.yaml.
  CREATE TABLE room_texts (
    chat TEXT NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL, by_id TEXT NOT NULL, by_name TEXT NOT NULL,
    at INTEGER NOT NULL, turn INTEGER NOT NULL, PRIMARY KEY (chat, key)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What agents and people had remembered, each for one audience: the people of a chat, one person, or everybody of an
  -- organisation. key: the chat's key, the person's id, or ''. message and turn: what it was taken from. text is empty once it
  -- is forgotten.
  CREATE TABLE facts (
    id INTEGER PRIMARY KEY AUTOINCREMENT, connection TEXT NOT NULL, audience TEXT NOT NULL, key TEXT NOT NULL,
    text TEXT NOT NULL, by_id TEXT NOT NULL, by_name TEXT NOT NULL, agent TEXT, message INTEGER,
    turn INTEGER, at INTEGER NOT NULL, forgotten_at INTEGER
  ) STRICT;
  CREATE INDEX facts_audience ON facts (connection, audience, key) WHERE forgotten_at IS NULL;
  CREATE INDEX facts_message ON facts (message) WHERE forgotten_at IS NULL AND message IS NOT NULL;
  CREATE INDEX facts_turn ON facts (turn) WHERE forgotten_at IS NULL AND turn IS NOT NULL;
  -- listed_at: the platform named everybody who reads the chat, and said of each that they are of the organisation.
  -- outsiders: somebody who is not has been seen in it; that is never taken back.
  ALTER TABLE chats ADD COLUMN listed_at INTEGER;
  ALTER TABLE chats ADD COLUMN outsiders INTEGER NOT NULL DEFAULT 0;
  UPDATE chats SET outsiders = 1 WHERE key IN (SELECT chat FROM messages WHERE outside = 1);

  -- Commands that need what the store does not have (the memory files): answered once, whatever restarts there are.
  CREATE TABLE errands (
    id INTEGER PRIMARY KEY AUTOINCREMENT, message INTEGER NOT NULL, chat TEXT NOT NULL, conversation TEXT NOT NULL,
    connection TEXT NOT NULL, kind TEXT NOT NULL, words TEXT NOT NULL, place TEXT NOT NULL, reply_to TEXT,
    at INTEGER NOT NULL, done_at INTEGER
  ) STRICT;
  CREATE INDEX errands_open ON errands (id) WHERE done_at IS NULL;

  -- Words are cut in another way: the index is made anew when somebody searches.
  INSERT INTO messages_fts (messages_fts) VALUES ('delete-all');
  DELETE FROM meta WHERE key = 'indexed';
  `,
  `
  -- What is said in voice notes, by the platform's id of the file. It goes with its message.
  CREATE TABLE transcripts (message INTEGER NOT NULL, file TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (message, file))
    STRICT, WITHOUT ROWID;
  CREATE TRIGGER transcripts_gone AFTER UPDATE OF deleted_at ON messages WHEN new.deleted_at IS NOT NULL
    BEGIN DELETE FROM transcripts WHERE message = new.id; END;
  CREATE TRIGGER transcripts_pruned AFTER DELETE ON messages
    BEGIN DELETE FROM transcripts WHERE message = old.id; END;
  `,
  `
  -- rank: since when a lane of turns waits for its room to be served again. Rooms are served by it, in turn.
  ALTER TABLE lanes ADD COLUMN rank INTEGER NOT NULL DEFAULT 0;
  UPDATE lanes SET rank = head_at;
  CREATE INDEX lanes_rank ON lanes (rank) WHERE queue = 'turns' AND running IS NULL AND waiting > 0;
  CREATE INDEX lanes_chat ON lanes (chat) WHERE queue = 'turns';
  `,
  `
  -- When a conversation was handed to its owner, or that one last answered in it. Null: not known, and it stays.
  ALTER TABLE conversations ADD COLUMN owner_at INTEGER;
  `,
  `
  -- Files that were sent on their own, just before somebody asks about them.
  CREATE INDEX messages_files ON messages (conversation, id) WHERE files IS NOT NULL;
  `,
]
