/** Coding agents that are known by name: how each starts, what it takes from the environment, what cures it. */

export interface AcpPreset {
  /** Commands that start it as an ACP agent, the first that is installed counts. */
  commands: readonly (readonly string[])[]
  /** How to install it, as a whole command. */
  install: string
  /** How to log in, as the user that runs Golem. */
  login: string
  /** Variables of Golem's own environment that it is given where they are set: its keys and addresses. */
  variables: readonly string[]
  /** Ways to authenticate that need nobody, by their ids, with the variable that each needs; null: none. */
  methods: Readonly<Record<string, string | null>>
}

const NODE = Number(process.versions.node.split('.')[0])

/**
 * Commands and variables as the agents' own documentation has them: codex-acp 0.16 and claude-agent-acp 0.23 by Zed
 * Industries, opencode 1.18, gemini-cli 0.61 (each of them runs in tests/acp), and Cursor's CLI of 2026 (which does not: its
 * package is not to be had from a registry).
 */
export const ACP_PRESETS = {
  'claude-code': {
    commands: [['claude-agent-acp'], ['claude-code-acp']],
    // The newer one needs Node 22.
    install: `npm install -g ${NODE < 22 ? '@zed-industries/claude-agent-acp@0.23.1' : '@agentclientprotocol/claude-agent-acp'}`,
    login: 'claude /login',
    variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'CLAUDE_CODE_OAUTH_TOKEN'],
    methods: {},
  },
  codex: {
    commands: [['codex-acp']],
    install: 'npm install -g @agentclientprotocol/codex-acp',
    login: 'codex login',
    variables: ['CODEX_API_KEY', 'OPENAI_API_KEY', 'OPENAI_BASE_URL', 'CODEX_HOME'],
    methods: { 'codex-api-key': 'CODEX_API_KEY', 'openai-api-key': 'OPENAI_API_KEY' },
  },
  opencode: {
    commands: [['opencode', 'acp']],
    install: 'npm install -g opencode-ai',
    login: 'opencode auth login',
    variables: [
      'ANTHROPIC_API_KEY',
      'OPENAI_API_KEY',
      'GEMINI_API_KEY',
      'OPENROUTER_API_KEY',
      'OPENCODE_API_KEY',
    ],
    methods: {},
  },
  gemini: {
    commands: [['gemini', '--acp']],
    install: 'npm install -g @google/gemini-cli',
    login: 'gemini',
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GEMINI_BASE_URL', 'GOOGLE_CLOUD_PROJECT'],
    methods: { 'gemini-api-key': 'GEMINI_API_KEY' },
  },
  cursor: {
    commands: [
      ['cursor-agent', 'acp'],
      ['agent', 'acp'],
    ],
    install: 'curl https://cursor.com/install -fsS | bash',
    login: 'cursor-agent login',
    variables: ['CURSOR_API_KEY'],
    methods: { cursor_login: null },
  },
} as const satisfies Readonly<Record<string, AcpPreset>>
