import type { HandlerMessage } from '../diagnostics/channels.js';

/** Remembers the `traceparent` of the last attempt of each handler that is to be called again, for as long as the process runs. */
export class LastAttempts {
  /** By the uids of objects and by the ids of handlers. */
  private readonly objects = new Map<string, Map<string, string>>();

  /** The attempt before the given one; `undefined` if it is the first one. */
  before({ body, handler, retry }: HandlerMessage): string | undefined {
    const uid = body?.metadata.uid;
    // What is left of an earlier change, which nobody has finished, is none.
    return uid === undefined || retry === 0 ? undefined : this.objects.get(uid)?.get(handler.id);
  }

  note({ body, handler }: HandlerMessage, traceparent: string | undefined): void {
    const uid = body?.metadata.uid;
    if (uid === undefined || traceparent === undefined) return;
    let attempts = this.objects.get(uid);
    if (!attempts) this.objects.set(uid, (attempts = new Map()));
    attempts.set(handler.id, traceparent);
  }

  /** Takes note that there will be no other attempt. */
  forget({ body, handler }: HandlerMessage): void {
    const uid = body?.metadata.uid;
    const attempts = uid === undefined ? undefined : this.objects.get(uid);
    if (attempts?.delete(handler.id) && attempts.size === 0) this.objects.delete(uid!);
  }

  /** Takes note that the object has gone. */
  forgetObject(uid: string | undefined): void {
    if (uid !== undefined) this.objects.delete(uid);
  }
}
