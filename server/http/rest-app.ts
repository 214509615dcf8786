/** The REST router in its own Express application, as one function for the listener. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import express, { type Router } from 'express'
import type { ClientView } from './client.ts'

/** @param otherwise answers requests without a route, and errors outside the router */
export function createRestApp(
  router: Router,
  client: ClientView,
  otherwise: (request: IncomingMessage, response: ServerResponse, error?: unknown) => void,
): (request: IncomingMessage, response: ServerResponse) => void {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  // The router parses queries itself, by each endpoint's schema.
  app.set('query parser', false)
  app.set('trust proxy', (address: string) => client.trusts(address))
  app.use(router)
  app.use((request, response) => otherwise(request, response))
  app.use((error: unknown, request: express.Request, response: express.Response, _next: express.NextFunction) =>
    otherwise(request, response, error),
  )
  return app
}
