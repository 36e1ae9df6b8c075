/** Every platform that is held to the laws. A new one joins with its file here, and one line. */
import type { Subject } from '../subject.js'
import discord from './discord.js'
import feishu from './feishu.js'
import local from './local.js'
import slack from './slack.js'
import telegram from './telegram.js'

export const SUBJECTS: readonly Subject[] = [discord, feishu, local, slack, telegram]
