export { withoutControls } from './controls.js'
export { MASK, type MaskedRange, maskedRanges, maskText } from './mask.js'
export {
  type Candidate,
  EVERYONE,
  type FoundMention,
  findMentions,
  isEveryone,
  isMentionBoundary,
  isNameContinuation,
  type MentionOptions,
  type Mentions,
  NameIndex,
  type NearMiss,
} from './mention.js'
export { LINE_CHARACTERS, NAME_CHARACTERS, safeLine, safeName } from './names.js'
export {
  isSilence,
  mayBecomeSilence,
  type SilenceOptions,
  showable,
  stripTrailingToken,
  visibleAnswer,
} from './silence.js'
