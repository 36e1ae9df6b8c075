// Only what needs types and Biome cannot do: format and lint are Biome's. Run by `npm run check`.
import tseslint from 'typescript-eslint'

export default tseslint.config({
  files: ['{src,adapters,tests,bench,scripts}/**/*.ts', 'web/**/*.{ts,tsx}'],
  plugins: { '@typescript-eslint': tseslint.plugin },
  languageOptions: {
    parser: tseslint.parser,
    parserOptions: {
      project: ['./tsconfig.check.json', './web/tsconfig.json'],
      tsconfigRootDir: import.meta.dirname,
    },
  },
  // A rule may be switched off by a comment that says why; one that switches nothing off is a mistake.
  linterOptions: { reportUnusedDisableDirectives: 'error' },
  rules: {
    '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: true }],
    '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
    '@typescript-eslint/switch-exhaustiveness-check': [
      'error',
      { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
    ],
  },
})
