import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = join(import.meta.dirname, '..');

/** Where a handler's function is called or handed on, in whatever way. */
const CALL = /\binvoke\s*(\?\.)?\s*\(|\binvoke\s*(\?\.|\.)\s*(call|apply|bind)\b|Reflect\.apply\([^)]*\binvoke\b/g;

describe('HandlerInvoker', () => {
  it('should be the only place where handlers are called', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
    const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'));
    const calls = sources.flatMap((file) => {
      const found = readFileSync(join(SOURCES, file), 'utf8').match(CALL) ?? [];
      return found.map((call) => `${file.replaceAll('\\', '/')}: ${call}`);
    });
    expect(calls).toEqual(['execution/handler.invoker.ts: invoke.call']);
  });

  it.each([
    ['handler.invoke(context)', true],
    ['handler.invoke?.(context)', true],
    ['handler.invoke.call(handler.instance, context)', true],
    ['handler.invoke.apply(handler.instance, [context])', true],
    ['const { invoke } = handler; invoke(context)', true],
    ['Reflect.apply(handler.invoke, handler.instance, [context])', true],
    ['return this.invoker.invokeEvent(handler, cause, invocation, scope)', false],
    ['other.invoke === handler.invoke', false],
  ])('should find calls as %s', (text, isCall) => {
    expect((text.match(CALL) ?? []).length > 0).toBe(isCall);
  });
});
