import type { HandlerMessage } from '../diagnostics/channels.js';

/** The `traceparent` of the last attempt of each handler that is to be called again, kept as long as the process runs. */
export class LastAttempts {
  /** By the uids of objects and by the ids of handlers. */
  private readonly objects = new Map<string, Map<string, string>>();

  /** The attempt before the given one; `undefined` if it is the first one. */
  before({ body, handler, retry }: HandlerMessage): string | undefined {
    const uid = body?.metadata.uid;
    // An attempt that is left of an earlier, unfinished change does not count.
    return uid === undefined || retry === 0 ? undefined : this.objects.get(uid)?.get(handler.id);
  }

  record({ body, handler }: HandlerMessage, traceparent: string | undefined): void {
    const uid = body?.metadata.uid;
    if (uid === undefined || traceparent === undefined) return;
    let attempts = this.objects.get(uid);
    if (!attempts) this.objects.set(uid, (attempts = new Map()));
    attempts.set(handler.id, traceparent);
  }

  /** Forgets the attempts of a handler that is not called again. */
  forget({ body, handler }: HandlerMessage): void {
    const uid = body?.metadata.uid;
    const attempts = uid === undefined ? undefined : this.objects.get(uid);
    if (attempts?.delete(handler.id) && attempts.size === 0) this.objects.delete(uid!);
  }

  /** Forgets the attempts of an object that has gone. */
  forgetObject(uid: string | undefined): void {
    if (uid !== undefined) this.objects.delete(uid);
  }
}
