/** Answers requests with plain data, for those that are executed in another thread than that of their connection. */
import { bodyOf, writeObject } from '../../jmap/protocol/answer-body.ts'
import type { Guard } from '../../server/base/guard.ts'
import { type Endpoint, toText } from '../endpoint.ts'
import { type AdmittedRequest, type Executed, Execution, type ExecutionDeps } from './execution.ts'
import { tagOf, type WrittenAnswer } from './respond.ts'
import { type Route, Routes } from './routes.ts'

/** @param guard of a request that reads */
export type Execute = (request: AdmittedRequest, guard?: Guard) => Promise<WrittenAnswer>

/** Executes requests of endpoints that do not answer with files. Never rejects. */
export function createWrittenAnswers(
  endpoints: readonly Endpoint[],
  deps: ExecutionDeps,
  checkAnswers: boolean,
): Execute {
  const routes = new Routes(endpoints, checkAnswers)
  const execution = new Execution(deps)
  return async (request, guard) => {
    const route = routes.all.find(({ endpoint }) => endpoint.operationId === request.operationId) ?? null
    const headers: Record<string, string> = {}
    const addHeaders = (more: Readonly<Record<string, string>>) => void Object.assign(headers, more)
    try {
      if (!route) throw new TypeError(`there is no operation ${request.operationId}`)
      return { ...written(route, await execution.run(route, request, { addHeaders, guard })), headers }
    } catch (thrown) {
      const error = execution.errorOf(thrown, request.requestId, route)
      const body = JSON.stringify(error.toBody(request.requestId))
      return { status: error.status, headers: { ...headers, ...error.headers }, body, tag: null }
    }
  }
}

function written({ endpoint }: Route, executed: Executed): Omit<WrittenAnswer, 'headers'> {
  if ('replayed' in executed) {
    const { status, body } = executed.replayed
    return { status, body: bodyOf(body), tag: null }
  }
  const { outcome } = executed
  if ('file' in outcome) throw new TypeError('a file is no written answer')
  const { status, body } = outcome
  if (!endpoint.isSingle) return { status, body: body === null ? '' : writeObject(body), tag: null }
  const text = toText(body)
  return { status, body: bodyOf(text), tag: tagOf(text) }
}
