// The dependency rule: imports point inwards, and nothing runs in a circle. `npm run check` applies it, and
// scripts/dependency-rule.test.ts shows that each of its sentences bites. `import type` counts as an import.

/** Packages of the platforms' vendors, as they are installed or, when they are not, as they are named. */
const VENDOR_SDK =
  '(^|/node_modules/|^node_modules/)(grammy|@grammyjs|@slack|discord\\.js|discord-api-types|@discordjs|@larksuiteoapi)(/|$)'

/** Tests and their fixtures stand beside what they test; they may use what tests/ offers, and keep to the rule otherwise. */
const TEST = '\\.(test|fixture)\\.tsx?$'

/** The composition root, its list of platforms, and the command line: the only places that know everything. */
const TOP = ['^src/cli/', '^src/(gateway|platforms)(\\.test)?\\.ts$']

/** What each room of src may import of the other rooms. Its own files always; nothing that is not written here. */
const ROOMS = {
  messaging: [],
  memory: ['messaging'],
  store: ['messaging'],
  config: ['messaging'],
  agents: ['messaging', 'memory'],
  server: ['messaging', 'store', 'config', 'memory'],
}

/**
 * @param {keyof typeof ROOMS} room
 * @returns {import('dependency-cruiser').IForbiddenRuleType}
 */
const roomRule = (room) => ({
  name: `room-${room}`,
  comment:
    ROOMS[room].length === 0
      ? `src/${room} imports no other room: what it needs of them it declares as an interface of its own.`
      : `src/${room} may import ${ROOMS[room].map((other) => `src/${other}`).join(', ')}; anything else reaches it through an interface that src/gateway.ts fills.`,
  from: { path: `^src/${room}/` },
  to: { path: '^src/', pathNot: [room, ...ROOMS[room]].map((other) => `^src/${other}/`) },
})

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const rules = [
  {
    name: 'no-circular',
    comment: 'Two files that need each other are one file, or need a third.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'adapter-sees-the-contract-only',
    comment: 'A platform knows src/messaging/contract.ts and nothing else of src.',
    from: { path: '^adapters/' },
    to: { path: '^src/', pathNot: '^src/messaging/contract\\.ts$' },
  },
  {
    name: 'adapter-knows-no-other-adapter',
    comment: 'Each platform stands alone: what two of them share belongs behind the contract.',
    from: { path: '^adapters/([^/]+)/' },
    to: { path: '^adapters/([^/]+)/', pathNot: '^adapters/$1/' },
  },
  ...Object.keys(ROOMS).map((room) => roomRule(/** @type {keyof typeof ROOMS} */ (room))),
  {
    name: 'adapters-enter-at-the-top',
    comment: 'Only the composition root and the command line know which platforms there are.',
    from: { path: '^src/', pathNot: TOP },
    to: { path: '^adapters/' },
  },
  {
    name: 'top-is-not-imported',
    comment: 'The composition root and the command line import the rooms, never the other way round.',
    from: { path: ['^src/', '^adapters/', '^web/'], pathNot: TOP },
    to: { path: TOP },
  },
  {
    name: 'vendor-sdk-in-adapters-only',
    comment: 'A vendor SDK stays behind its adapter (tests may drive simulators with it).',
    from: { pathNot: ['^adapters/', '^tests/'] },
    to: { path: VENDOR_SDK },
  },
  {
    name: 'web-shares-text-only',
    comment:
      'The console talks to the server over HTTP; it shares the text rules of src/messaging/text and no more.',
    from: { path: '^web/' },
    to: { path: ['^src/', '^adapters/'], pathNot: '^src/messaging/text/' },
  },
  {
    name: 'text-rules-run-in-a-browser',
    comment: 'src/messaging/text is bundled into the console, so it can use nothing that only Node has.',
    from: { path: '^src/messaging/text/', pathNot: TEST },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'nothing-imports-the-console',
    comment: 'The server serves the built files of web/.',
    from: { pathNot: ['^web/', '^tests/'] },
    to: { path: '^web/' },
  },
  {
    name: 'product-imports-no-test',
    comment: 'What ships does not depend on tests, benchmarks or scripts.',
    from: { path: ['^src/', '^adapters/', '^web/'], pathNot: [TEST, '^src/cli/simulators\\.ts$'] },
    to: { path: ['^tests/', '^bench/', '^scripts/', TEST] },
  },
  {
    name: 'simulators-stand-alone',
    comment:
      'A simulator knows its platform and nothing of Golem, so that it can tell when Golem is wrong. `golem simulate` starts it.',
    from: { path: '^tests/simulators/', pathNot: TEST },
    to: { path: ['^src/', '^adapters/', '^tests/(?!simulators/)', VENDOR_SDK] },
  },
  {
    name: 'cli-simulates-only',
    comment: 'Of tests/ the command line starts the simulators, and nothing else ships.',
    from: { path: '^src/cli/simulators\\.ts$' },
    to: { path: ['^tests/(?!simulators/)', TEST] },
  },
  {
    name: 'no-dev-package-in-the-product',
    comment:
      'A package that the daemon needs is listed under dependencies: an install without dev packages must run.',
    // A *.dev.mjs file only ever runs from the sources, and is not built.
    from: { path: ['^src/', '^adapters/'], pathNot: [TEST, '\\.dev\\.mjs$'] },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: '/@types/' },
  },
  {
    name: 'not-to-unresolvable',
    comment: 'An import that leads nowhere.',
    from: { path: ['^src/', '^adapters/', '^web/'] },
    to: { couldNotResolve: true },
  },
]

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  // Each of them is an error: a rule that only warns is no rule.
  forbidden: rules.map((rule) => ({ ...rule, severity: 'error' })),
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
}
