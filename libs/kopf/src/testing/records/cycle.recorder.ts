import type { KubeObject } from '../../objects/kube-object.js';

/** The record of the states of objects that the operator has processed, to the end of their event cycles. */
export class CycleRecorder {
  private readonly active = new Map<string, number>();
  private readonly versions = new Map<string, string | undefined>();
  /** The count of cycles at the last end of one of an object. */
  private readonly ends = new Map<string, number>();
  private count = 0;

  /** @param onEnd called with the uid of an object when nothing is being done about it any more */
  constructor(private readonly onEnd?: (uid: string) => void) {}

  /** Whether nothing is being done about any object. */
  get isIdle(): boolean {
    return this.active.size === 0;
  }

  /** The identities of the objects about which anything is being done. */
  get openFor(): readonly string[] {
    return [...this.active.keys()];
  }

  /** Whether the state of the object was processed, and nothing is being done about the object. */
  hasProcessed({ metadata }: KubeObject): boolean {
    const uid = metadata.uid ?? '';
    return !this.active.has(uid) && this.versions.get(uid) === metadata.resourceVersion;
  }

  /** The count of all cycles that have ended. */
  get total(): number {
    return this.count;
  }

  /** Whether a cycle of the object has ended since then: what was read during the cycle can be older than what the cycle has written. */
  hasEndedSince(total: number, { metadata }: KubeObject): boolean {
    return (this.ends.get(metadata.uid ?? '') ?? 0) > total;
  }

  /** Whether any event of the object was processed or is being processed. */
  hasSeen({ metadata }: KubeObject): boolean {
    const uid = metadata.uid ?? '';
    return this.active.has(uid) || this.versions.has(uid);
  }

  begin({ metadata }: KubeObject): void {
    const uid = metadata.uid ?? '';
    this.active.set(uid, (this.active.get(uid) ?? 0) + 1);
  }

  end({ metadata }: KubeObject): void {
    const uid = metadata.uid ?? '';
    const rest = (this.active.get(uid) ?? 1) - 1;
    if (rest > 0) this.active.set(uid, rest);
    else this.active.delete(uid);
    this.versions.set(uid, metadata.resourceVersion);
    this.ends.set(uid, ++this.count);
    if (rest <= 0) this.onEnd?.(uid);
  }

  /** Forgets everything: another process has seen nothing. */
  clear(): void {
    this.active.clear();
    this.versions.clear();
    this.ends.clear();
  }
}
