// Runs the worker from its TypeScript source (tests, `tsx`); the built daemon starts worker.js itself.
import { register } from 'tsx/esm/api'

register()
await import('./worker.ts')
