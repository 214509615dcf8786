/**
 * rest/: the REST API, a facade over JMAP. An endpoint is declared once (`endpoint.ts`) as a mapping from its input to JMAP method calls
 * and from their answers to its output; route, checks, validators and the OpenAPI document derive from it. Nothing here reads or
 * writes data by another way than `Core.process`, `upload` and `download`: rest never imports storage or mta.
 */
import type { Router } from 'express'
import type { RestDeps } from './deps.ts'
import { ENDPOINTS } from './endpoints.ts'
import { buildOpenApi } from './openapi.ts'
import { createRouter } from './router.ts'

export type { RestConfig, RestDeps } from './deps.ts'
export { type RestIds, restIds } from './ids.ts'
export { DEFAULT_RATES, type RateTable } from './rate-tiers.ts'

/** The API as an Express router, to be mounted at `/`: it answers below `/api` and `/v1` and lets other paths by. */
export function createRestRouter(deps: RestDeps): Router {
  return createRouter(ENDPOINTS, deps)
}

/** The OpenAPI 3.1 document, as `/api/v1/openapi.json` gives it. */
export function openApiDocument(): { readonly [name: string]: unknown } {
  return buildOpenApi(ENDPOINTS)
}
