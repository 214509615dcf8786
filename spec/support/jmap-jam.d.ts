/**
 * What the tests use of the JMAP client jmap-jam. Its own types come as TypeScript sources with enums, which a project that runs
 * TypeScript by stripping types refuses to compile; tsconfig.json leads here instead.
 */
export interface Draft {
  $ref(path: string): unknown
}

type Drafts = { readonly [entity: string]: { readonly [method: string]: (args: object) => Draft } }
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects in its assertions
type Results = any

export class JamClient {
  constructor(options: { sessionUrl: string; bearerToken: string })
  requestMany(build: (r: Drafts) => { readonly [callId: string]: Draft }): Promise<[Results, object]>
  uploadBlob(accountId: string, body: Uint8Array | string): Promise<Results>
  downloadBlob(options: { accountId: string; blobId: string; mimeType: string; fileName: string }): Promise<Response>
}
