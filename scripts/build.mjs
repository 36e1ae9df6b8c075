// npm run build: installs what is missing and builds what changed; with --force, everything.
import { build, PARTS } from './lib/build.mjs'
import { run } from './lib/say.mjs'
import { ROOT, setUp } from './lib/setup.mjs'

run(async () => {
  const isForced = process.argv.includes('--force')
  await setUp({ builds: !isForced })
  if (isForced) await build(ROOT, PARTS)
})
