import { eventually } from '../time/eventually.js';
import type { RunningCommand } from './kopf.command.js';

/** A browser that has opened the address which `kopf console` has printed. */
export class ConsoleVisitor {
  private constructor(
    private readonly origin: string,
    private readonly cookie: string,
  ) {}

  /** Waits until the command has printed its address, and opens it. */
  static async open(command: RunningCommand): Promise<ConsoleVisitor> {
    const address = await eventually('the console prints its address', () => {
      if (command.err) throw new Error(command.err);
      return /http:\S+/.exec(command.out)?.[0];
    });
    const response = await fetch(address);
    const [cookie] = response.headers.get('set-cookie')?.split(';') ?? [];
    if (!cookie) throw new Error(`There is no cookie: ${response.status} ${await response.text()}`);
    return new ConsoleVisitor(new URL(address).origin, cookie);
  }

  /** Reads an answer of the interface, `objects?phase=failing`. */
  async read<T>(path: string): Promise<T> {
    return (await this.json(await this.fetch(`/api/${path}`))) as T;
  }

  /** Asks for an action, as the page does. */
  async act<T>(action: string, request: object): Promise<T> {
    const headers = { 'content-type': 'application/json', 'x-kopf-console': '1', origin: this.origin };
    const answer = await this.fetch(`/api/actions/${action}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(request),
    });
    return (await this.json(answer)) as T;
  }

  fetch(path: string, { headers, ...options }: RequestInit = {}): Promise<Response> {
    return fetch(`${this.origin}${path}`, { ...options, headers: { ...(headers as object), cookie: this.cookie } });
  }

  private async json(response: Response): Promise<unknown> {
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text}`);
    return JSON.parse(text);
  }
}
