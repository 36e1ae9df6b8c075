/** What the agents room asks of group memory. The memory room's `GroupMemory` has it all. */
export interface Memory {
  /** Absolute path of a chat's file, for people and programs to name it by. */
  pathOf(chatKey: string): string
  read(chatKey: string): Promise<{ text: string; hash: string }>
  /** `changed: false`: it was there already. */
  remember(
    chatKey: string,
    section: string,
    line: string,
  ): Promise<{ changed: boolean; section: string; line: string; note?: string }>
  /** Several lines that fit: none is removed, they are the candidates. */
  forget(
    chatKey: string,
    line: string,
  ): Promise<{ removed: readonly string[]; candidates: readonly string[] }>
  /** A copy in a folder of an agent's; `base` is what it was copied from. */
  copyTo(chatKey: string, folder: string): Promise<MemoryCopy>
  /** Three-way merge of what an agent made of its copy. A copy that is gone or unreadable changes nothing. */
  collect(chatKey: string, copy: MemoryCopy): Promise<{ changed: boolean; note?: string }>
}

export interface MemoryCopy {
  path: string
  base: string
}
