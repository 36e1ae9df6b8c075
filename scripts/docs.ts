/**
 * Writes what the documentation takes from the schema of golem.yaml: docs/configuration.md and docs/golem.schema.json.
 *
 * `npm run docs` writes them; with `--check` it writes nothing and ends with 1 when one of them is out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { discordSettings } from '../adapters/discord/settings.js'
import { feishuSettings } from '../adapters/feishu/settings.js'
import { localSettings } from '../adapters/local/settings.js'
import { slackSettings } from '../adapters/slack/settings.js'
import { telegramSettings } from '../adapters/telegram/settings.js'
import { ENGINES } from '../src/config/engines.js'
import { jsonSchema } from '../src/config/json-schema.js'
import { reference } from '../src/config/reference.js'

/** Every platform that golem.yaml can name. */
export const PLATFORMS = {
  local: localSettings,
  discord: discordSettings,
  feishu: feishuSettings,
  slack: slackSettings,
  telegram: telegramSettings,
}

/** Files, from the top of the repository, and what must stand in them. */
export function renderDocs(): Record<string, string> {
  const schema = jsonSchema(PLATFORMS, ENGINES)
  return {
    'docs/configuration.md': reference(schema),
    'docs/golem.schema.json': `${JSON.stringify(schema, null, 2)}\n`,
  }
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(`../${file}`, import.meta.url))
}

/** The files that differ from what would be written. */
export function outdated(): string[] {
  return Object.entries(renderDocs())
    .filter(([file, text]) => {
      try {
        return readFileSync(pathOf(file), 'utf8') !== text
      } catch {
        return true
      }
    })
    .map(([file]) => file)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const old = outdated()
  if (process.argv.includes('--check')) {
    for (const file of old) console.error(`${file} is out of date. Run npm run docs.`)
    process.exitCode = old.length > 0 ? 1 : 0
  } else {
    for (const [file, text] of Object.entries(renderDocs()))
      if (old.includes(file)) writeFileSync(pathOf(file), text)
    console.log(old.length === 0 ? 'docs are up to date' : `wrote ${old.join(', ')}`)
  }
}
