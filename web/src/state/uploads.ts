/** A file on its way to the daemon. A message that carries it may be sent meanwhile: it follows when the file is there. */
import { sentence } from '../api/http.js'
import { upload } from '../api/local.js'
import type { LocalFile } from '../api/wire.js'

/** The file as the daemon has it. Asked again after a failure, it is sent again. */
export type Uploaded = () => Promise<LocalFile>

export function startUpload(room: string, file: File): Uploaded {
  let running: Promise<LocalFile> | null = null
  return () => {
    running ??= upload(room, file).catch((error: unknown) => {
      running = null
      throw new Error(`${file.name} was not uploaded. ${sentence(error)}`)
    })
    return running
  }
}
