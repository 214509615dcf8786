/**
 * rest/: the REST API, a facade over JMAP. An endpoint is declared once (`endpoint.ts`) as a mapping from its input to JMAP method calls
 * and from their answers to its output; route, checks, validators and the OpenAPI document derive from it. Nothing here reads or
 * writes data by another way than `Core.process`, `upload` and `download`: rest never imports storage or mta.
 */
import type { Router } from 'express'
import { ENDPOINTS } from './endpoints.ts'
import { buildOpenApi } from './openapi/document.ts'
import type { RestDeps } from './pipeline/deps.ts'
import { createRouter } from './pipeline/router.ts'

export { type RestIds, restIds } from './access/ids.ts'
export { DEFAULT_RATES, type RateTable } from './access/rate-tiers.ts'
export type { RestConfig, RestDeps } from './pipeline/deps.ts'

/** The API as an Express router, to be mounted at `/`: it answers below `/api` and `/v1` and lets other paths by. */
export function createRestRouter(deps: RestDeps): Router {
  return createRouter(ENDPOINTS, deps)
}

/** The OpenAPI 3.1 document, as `/api/v1/openapi.json` gives it. */
export function openApiDocument(): { readonly [name: string]: unknown } {
  return buildOpenApi(ENDPOINTS)
}
