/** The states of imports (decision D12). */
import type { ImportStatus } from './import.type.ts'

/** The mailbox has no room for another import beside one of these. */
const RUNNING: readonly ImportStatus[] = [
  'queued',
  'running',
  'paused_throttle',
  'paused_quota',
  'undo_queued',
  'undoing',
]
const CANCELLABLE: readonly ImportStatus[] = ['queued', 'running', 'paused_throttle', 'paused_quota']
const UNDOABLE: readonly ImportStatus[] = ['completed', 'failed', 'cancelled', 'undo_failed']

export function isUnderWay(status: ImportStatus): boolean {
  return RUNNING.includes(status)
}

export function isCancellable(status: ImportStatus): boolean {
  return CANCELLABLE.includes(status)
}

export function isUndoable(status: ImportStatus): boolean {
  return UNDOABLE.includes(status)
}

/** The worker reads the source. */
export function isImporting(status: ImportStatus): boolean {
  return CANCELLABLE.includes(status)
}
