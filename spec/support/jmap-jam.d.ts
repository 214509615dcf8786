/**
 * The part of the JMAP client jmap-jam that tests use. Its own types are TypeScript sources with enums, which a project that runs
 * TypeScript by stripping types does not compile; tsconfig.json maps them here instead.
 */
export interface Draft {
  $ref(path: string): unknown
}

type Drafts = { readonly [entity: string]: { readonly [method: string]: (args: object) => Draft } }
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects in its assertions
type Results = any

/** The result of a call, with `sessionState` and `createdIds`. */
type Answer = Promise<
  [Results, { readonly sessionState: string; readonly createdIds?: { readonly [id: string]: string } }]
>

export class JamClient {
  constructor(options: {
    sessionUrl: string
    bearerToken: string
    /** By entity, for types that the library does not know. */
    customCapabilities?: { readonly [entity: string]: string }
  })
  static loadSession(sessionUrl: string, authHeader: string): Promise<Results>
  readonly session: Promise<Results>
  readonly api: { readonly [entity: string]: { readonly [method: string]: (args: object, options?: object) => Answer } }
  getPrimaryAccount(): Promise<string>
  requestMany(build: (r: Drafts) => { readonly [callId: string]: Draft }): Answer
  uploadBlob(accountId: string, body: Uint8Array | string): Promise<Results>
  downloadBlob(options: { accountId: string; blobId: string; mimeType: string; fileName: string }): Promise<Response>
}
