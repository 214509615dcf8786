/**
 * rest/: the REST API, a facade over JMAP. An endpoint is declared once (`endpoint.ts`) as a mapping from its input to JMAP method calls
 * and from their answers to its output. `endpoints.ts` lists the endpoints, `resources/` holds them. Route, checks, validators and the
 * OpenAPI document derive from the declaration. All data is read and written by `Core.process`, `upload` and `download`.
 */
import type { Router } from 'express'
import { ENDPOINTS } from './endpoints.ts'
import { buildOpenApi } from './openapi/document.ts'
import { createRouter, type RestDeps } from './pipeline/router.ts'

export { type RestIds, restIds } from './access/ids.ts'
export { DEFAULT_RATES, type RateTable } from './access/rate-tiers.ts'
export type { RestConfig, RestDeps } from './pipeline/router.ts'

/** The API as an Express router, to be mounted at `/`. It answers below `/api` and `/v1`; other paths pass on. */
export function createRestRouter(deps: RestDeps): Router {
  return createRouter(ENDPOINTS, deps)
}

/** The OpenAPI 3.1 document, as `/api/v1/openapi.json` answers it. */
export function openApiDocument(): { readonly [name: string]: unknown } {
  return buildOpenApi(ENDPOINTS)
}
