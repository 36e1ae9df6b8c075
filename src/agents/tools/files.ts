import { z } from 'zod'
import { defineTool } from './tool.js'

export const attachFile = defineTool({
  name: 'attach_file',
  description:
    'Send a file along with your answer. It must lie in your working folder. Hidden files, keys and password files are never sent.',
  args: z.strictObject({
    path: z.string().min(1).max(4_096).describe('path in the working folder'),
    name: z.string().max(255).optional().describe('name that people see'),
  }),
  writes: true,
  async run(args, { attach }) {
    const name = await attach(args.path, args.name)
    return { result: { status: 'attached', name }, note: name }
  },
})
