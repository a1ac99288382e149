import { Injectable } from '@nestjs/common';
import {
  OnCleanup,
  OnCreate,
  OnDelete,
  OnStartup,
  TemporaryError,
  type ActivityContext,
  type ChangeContext,
} from 'nestjs-kopf';
import { EXAMPLES } from '../examples.js';

/** Is a connection that takes some time to open, and must be closed. */
export class Line {
  readonly sent: string[] = [];
  isOpen = true;

  send(text: string): void {
    if (!this.isOpen) throw new Error('The line is closed.');
    this.sent.push(text);
  }

  close(): void {
    this.isOpen = false;
  }
}

/** Opens a line before anything is handled, and closes it when nothing is handled any more. */
@Injectable()
export class ActivitiesOperator {
  line?: Line;

  @OnStartup({ retries: 10 })
  open({ retry, settings }: ActivityContext) {
    settings.posting.enabled = false;
    if (retry < 2) throw new TemporaryError('The other end is not there yet.', { delay: 1 });
    this.line = new Line();
  }

  @OnCreate(EXAMPLES)
  greet({ name }: ChangeContext) {
    this.line?.send(`Hello, ${name}!`);
  }

  @OnDelete(EXAMPLES)
  part({ name }: ChangeContext) {
    this.line?.send(`Good bye, ${name}!`);
  }

  @OnCleanup()
  close() {
    this.line?.send('The end.');
    this.line?.close();
  }
}
