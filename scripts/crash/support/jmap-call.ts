/** One method call to a server that may die meanwhile. */

export interface JmapAnswer {
  readonly created?: { readonly [id: string]: object } | null
  readonly notCreated?: { readonly [id: string]: { readonly type: string } } | null
  // biome-ignore lint/suspicious/noExplicitAny: the answer of the server under test
  readonly list?: readonly any[]
}

/** @throws if the server does not answer */
export async function callJmap(
  http: string,
  { id, address, password }: { readonly id: string; readonly address: string; readonly password: string },
  name: string,
  args: object,
): Promise<JmapAnswer> {
  const headers = {
    authorization: `Basic ${Buffer.from(`${address}:${password}`).toString('base64')}`,
    'content-type': 'application/json',
  }
  const using = ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:calendars', 'urn:ietf:params:jmap:mail']
  const body = JSON.stringify({ using, methodCalls: [[name, { accountId: id, ...args }, '0']] })
  const response = await fetch(`${http}/jmap/api`, { method: 'POST', headers, body })
  const { methodResponses } = (await response.json()) as { methodResponses: [[string, JmapAnswer]] }
  return methodResponses[0][1]
}
