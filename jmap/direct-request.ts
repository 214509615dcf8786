/** The context of a service that works on accounts without a Request: uploads, downloads, SMTP submission. */
import { UNGUARDED } from '../server/base/guard.ts'
import type { Principal } from '../server/base/principal.ts'
import { CreationIds } from './protocol/creation-ids.ts'
import { AnswerRoom } from './type/answer-room.ts'
import type { RequestContext, Services } from './type/context.ts'
import { InstanceNumbers } from './type/instance-numbers.ts'
import { isReadOnly, type Registry } from './type/registry.ts'

/** Services that a request needs. */
export type RequestServices = Services & { readonly registry: Registry }

export function directRequest(services: RequestServices, principal: Principal): RequestContext {
  return {
    services,
    principal,
    using: new Set(),
    createdIds: new CreationIds(),
    instances: new InstanceNumbers(),
    steps: null,
    guard: UNGUARDED,
    answer: new AnswerRoom(false, UNGUARDED),
    grantableScopes: services.registry.scopes,
    blobTypes: services.registry.blobTypes,
    reads: { read: (use) => services.store.read(use), end: async () => {} },
    isReadOnly: (kind) => isReadOnly(services.registry, principal, kind),
    implicit: () => Promise.reject(new TypeError('not inside a request')),
  }
}
