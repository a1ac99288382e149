// One of the two servers: requests and watches over HTTPS.
import { HttpsSide, type HttpsRequest } from '../https.side.js';
import type { Answer } from './answer.normaliser.js';

/** A request, with everything filled in. */
export type SideRequest = HttpsRequest & Required<Pick<HttpsRequest, 'headers'>>;

/** An open watch. */
export interface SideWatch {
  /** The events so far; a text that is no JSON stands as it is. */
  readonly events: unknown[];
  /** Resolves when there are so many events, when the watch ends, or after a while. */
  until(count: number): Promise<void>;
  close(): void;
}

/** One of the servers. */
export class ApiSide {
  private readonly side: HttpsSide;

  constructor(
    readonly name: 'real' | 'embedded',
    url: string,
    token: string,
  ) {
    this.side = new HttpsSide(url, token);
  }

  close(): void {
    this.side.close();
  }

  /** Sends a request and reads the whole answer. */
  async send(sent: SideRequest): Promise<Answer> {
    const { status, headers, text } = await this.side.send(sent);
    return { code: status, type: headers['content-type'], warnings: headers['warning'], body: parsed(text) };
  }

  /** Opens a watch; one that is rejected has the answer as its only event. */
  async watch(sent: SideRequest): Promise<SideWatch> {
    const response = await this.side.open(sent);
    const events: unknown[] = [];
    let rest = '';
    let ended = false;
    let wake = (): void => undefined;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop()!;
      events.push(...lines.map(parsed));
      wake();
    });
    const end = (): void => {
      if (rest) events.push(parsed(rest));
      rest = '';
      ended = true;
      wake();
    };
    response.on('end', end).on('error', end).on('close', end);
    const until = async (count: number): Promise<void> => {
      const limit = performance.now() + 3000;
      while (events.length < count && !ended && performance.now() < limit) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, limit - performance.now());
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    };
    if (response.statusCode !== 200) {
      await until(Infinity);
      events.unshift({ code: response.statusCode });
    }
    return { events, until, close: () => response.destroy() };
  }
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}
