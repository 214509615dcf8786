/** The part of s3rver that the tests use. The package has no types. */
declare module 's3rver' {
  import type { AddressInfo } from 'node:net'

  interface Context {
    readonly method: string
    readonly path: string
    readonly headers: Record<string, string | undefined>
    readonly req: import('node:http').IncomingMessage
    readonly res: import('node:http').ServerResponse
    status: number
    body: unknown
    respond: boolean
    set(name: string, value: string): void
  }

  export default class S3rver {
    constructor(options: {
      address: string
      port: number
      silent: boolean
      directory: string
      vhostBuckets: boolean
      configureBuckets: { name: string; configs: string[] }[]
    })
    readonly middleware: ((ctx: Context, next: () => Promise<void>) => Promise<void>)[]
    readonly store: {
      listObjects(
        bucket: string,
        options: { prefix: string; startAfter: string; maxKeys: number },
      ): Promise<{ objects: { key: string; size: number; lastModifiedDate: Date }[]; isTruncated: boolean }>
    }
    run(): Promise<AddressInfo>
    close(): Promise<void>
  }
}
