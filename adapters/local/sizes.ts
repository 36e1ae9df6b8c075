/** Sizes that several parts of the local rooms agree on. */

/** Longest text a person may post, in UTF-16 units. Longer things are files. */
export const MOST_TEXT = 32_000
export const MOST_FILE_BYTES = 20 * 1024 * 1024
/** Files of one message. */
export const MOST_FILES = 10
