import type { Observable } from 'rxjs';
import type { DiagnosticChannel, DiagnosticMessage, OperatorIdentity } from './channels.js';

/** The subscriptions to the channels for one operator: messages of other operators in the same process are left out. */
export class OperatorSubscriptions {
  private readonly closers: (() => void)[] = [];

  constructor(private readonly operator: OperatorIdentity) {}

  subscribe<M extends DiagnosticMessage>(channel: DiagnosticChannel<M>, take: (message: M) => void): void {
    const { operator } = this;
    const listener = (message: M): void => {
      if (message.operator === operator) take(message);
    };
    channel.subscribe(listener);
    this.closers.push(() => channel.unsubscribe(listener));
  }

  /** Subscribes to an observable that belongs to the one operator anyway. */
  observe<T>(source: Observable<T>, take: (value: T) => void): void {
    const subscription = source.subscribe(take);
    this.onClose(() => subscription.unsubscribe());
  }

  /** Adds a function that is called when the subscriptions end. */
  onClose(close: () => void): void {
    this.closers.push(close);
  }

  close(): void {
    for (const close of this.closers.splice(0)) close();
  }
}
