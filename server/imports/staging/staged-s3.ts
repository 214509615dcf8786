/** Staged files in S3, as multipart uploads: they go on in any node. */
import type { S3Upload, S3Uploads } from '../../../storage/blobs/s3-uploads.ts'
import { IMPORT_PART_BYTES } from '../../base/import-limits.ts'
import type { StagedFile, StagedStore, UploadRange } from './staged-store.ts'

export class StagedS3 implements StagedStore {
  readonly #open: () => Promise<S3Uploads>
  readonly #partBytes: number
  #uploads: Promise<S3Uploads> | null = null

  /** @param open opens the service, when it is first used */
  constructor(open: () => Promise<S3Uploads>, partBytes = IMPORT_PART_BYTES) {
    this.#open = open
    this.#partBytes = partBytes
  }

  async offset(place: string): Promise<number> {
    return (await (await this.#service()).find(place))?.octets ?? 0
  }

  async append(place: string, { size }: UploadRange, chunks: AsyncIterable<Buffer>): Promise<number> {
    const service = await this.#service()
    let upload = (await service.find(place)) ?? (await service.begin(place))
    let pieces: Buffer[] = []
    let held = 0
    const flush = async (): Promise<S3Upload> => {
      const part = Buffer.concat(pieces, held)
      pieces = []
      held = 0
      return service.addPart(place, upload, part)
    }
    for await (const chunk of chunks) {
      pieces.push(chunk)
      held += chunk.length
      if (held >= this.#partBytes) upload = await flush()
    }
    // Only the last part may be smaller: what is left of others is sent again.
    if (upload.octets + held === size) {
      if (held > 0) upload = await flush()
      await service.complete(place, upload)
    }
    return upload.octets
  }

  async open(place: string, size: number): Promise<StagedFile> {
    const service = await this.#service()
    const read = (position: number, length: number) => service.read(place, position, Math.min(position + length, size))
    return { size, read, close: async () => {} }
  }

  async remove(place: string): Promise<void> {
    await (await this.#service()).remove(place)
  }

  async list(): Promise<string[]> {
    return (await this.#service()).list()
  }

  #service(): Promise<S3Uploads> {
    this.#uploads ??= this.#open()
    return this.#uploads
  }
}
