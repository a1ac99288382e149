import type { ServerResponse } from 'node:http';
import { type Clock, type ClockTimer, stringifyJson } from 'kube-common';
import type { ConsoleMessage } from '../console.api.js';
import { SAFE_HEADERS } from './console.headers.js';

/**
 * Seconds between signs of life, so that proxies do not close a connection on which nothing happens, and the page notices one that is dead: a
 * message, as scripts do not see comments.
 */
const HEARTBEAT = 15;

const ALIVE: ConsoleMessage = { type: 'alive' };

/** Bytes that may wait for a slow reader. One that is slower is sent away, and comes back by itself. */
const MOST_WAITING = 1024 * 1024;

/** Milliseconds after which a browser connects again. */
const RECONNECT = 2000;

/** One stream of server-sent events, to one tab. */
export class StreamConnection {
  private heartbeat?: ClockTimer;
  private isClosed = false;

  /** The topics that the tab wants to know of; `log` among them asks for the event log. */
  readonly topics: ReadonlySet<string>;
  /** The identity of the viewer, whose streams are limited. */
  readonly viewer: string;

  constructor(
    private readonly response: ServerResponse,
    private readonly clock: Clock,
    { topics, viewer }: { readonly topics: ReadonlySet<string>; readonly viewer: string },
    private readonly onClose: () => void,
  ) {
    this.topics = topics;
    this.viewer = viewer;
  }

  open(): void {
    const { response } = this;
    response.writeHead(200, {
      ...SAFE_HEADERS,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      // nginx would collect what is to be sent.
      'x-accel-buffering': 'no',
    });
    response.on('close', () => this.close());
    response.on('error', () => this.close());
    this.write(`retry: ${RECONNECT}\n\n`);
    this.beat();
  }

  /**
   * Sends messages at once, as each packet has its cost.
   *
   * @param id is sent back by the browser when it connects again.
   */
  send(messages: readonly ConsoleMessage[], id: string): void {
    this.write(messages.map((message) => `id: ${id}\ndata: ${stringifyJson(message)}\n\n`).join(''));
  }

  /** Ends the stream; harmless if it has ended. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.heartbeat?.cancel();
    this.response.end();
    this.onClose();
  }

  private write(text: string): void {
    if (this.isClosed) return;
    this.response.write(text);
    if (this.response.writableLength <= MOST_WAITING) return;
    this.response.destroy();
    this.close();
  }

  private beat(): void {
    this.heartbeat = this.clock.setTimer(() => {
      this.write(`data: ${JSON.stringify(ALIVE)}\n\n`);
      if (!this.isClosed) this.beat();
    }, HEARTBEAT * 1000);
  }
}
