import type { JsonObject } from '../../server/base/json.ts'
import type { EndingSet } from './handlers.ts'

/** RFC 8620 5.3: what a /set changed at its end is reported with the object, as created or as updated. */
export function reportServerSet(set: EndingSet, id: string, changed: JsonObject): void {
  const created = [...set.created].find(([, object]) => object['id'] === id)
  if (created) set.created.set(created[0], { ...created[1], ...changed })
  else set.updated.set(id, { ...set.updated.get(id), ...changed })
}
