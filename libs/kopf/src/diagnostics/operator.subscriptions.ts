import type { Observable } from 'rxjs';
import type { DiagnosticChannel, DiagnosticMessage, OperatorIdentity } from './channels.js';

/** Follows the channels for one operator: the messages of others in the same process are left out. */
export class OperatorFollowers {
  private readonly closers: (() => void)[] = [];

  constructor(private readonly operator: OperatorIdentity) {}

  follow<M extends DiagnosticMessage>(channel: DiagnosticChannel<M>, take: (message: M) => void): void {
    const { operator } = this;
    const listener = (message: M): void => {
      if (message.operator === operator) take(message);
    };
    channel.subscribe(listener);
    this.closers.push(() => channel.unsubscribe(listener));
  }

  /** Follows what is observable, and belongs to the one operator anyway. */
  observe<T>(source: Observable<T>, take: (value: T) => void): void {
    const subscription = source.subscribe(take);
    this.onClose(() => subscription.unsubscribe());
  }

  /** Has something done when following ends. */
  onClose(close: () => void): void {
    this.closers.push(close);
  }

  close(): void {
    for (const close of this.closers.splice(0)) close();
  }
}
