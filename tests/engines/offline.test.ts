import { createOffline } from '../../src/agents/engines/offline/index.js'
import { conformance } from './kit.js'

conformance({
  name: 'offline',
  effects: 'none',
  // It has no far side: it answers by itself, from what the turn holds.
  can: { acts: false, streams: false, tools: false, asks: false, usage: false },
  async open() {
    return {
      engine: createOffline(),
      heard: () => '',
      processes: () => [],
      busy: () => 0,
      close: async () => {},
    }
  },
})
