import { AsyncLocalStorage } from 'node:async_hooks';
import { Deferred } from 'kube-common';
import { currentScope, InvocationScopes, type InvocationScope } from './invocation.scope.js';

const scopes = new InvocationScopes();

function createScope(name: string): InvocationScope {
  return { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }, events: { post: () => undefined } };
}

const nameInScope = (): string | undefined => currentScope()?.body.metadata.name;

describe('The scope of a call', () => {
  it('should be there until the function has returned', () => {
    expect(scopes.run(createScope('a'), nameInScope)).toBe('a');
    expect(currentScope()).toBeUndefined();
  });

  it('should be there after whatever the function awaits', async () => {
    const awaited = new Deferred();
    const result = scopes.run(createScope('a'), async () => {
      await awaited.promise;
      await new Promise((resolve) => setImmediate(resolve));
      return nameInScope();
    });
    awaited.resolve();
    expect(await result).toBe('a');
    expect(currentScope()).toBeUndefined();
  });

  it('should be the own one of each of several calls at once, also if one of them ends before the others', async () => {
    const gates = [new Deferred(), new Deferred(), new Deferred()];
    const calls = gates.map(({ promise }, index) =>
      scopes.run(createScope(`object-${index}`), () => promise.then(() => Promise.resolve().then(nameInScope))),
    );
    const names: unknown[] = [];
    for (const index of [1, 0, 2]) {
      gates[index].resolve();
      names.push(await calls[index]);
    }
    expect(names).toEqual(['object-1', 'object-0', 'object-2']);
  });

  it('should be there for thenables that work when they are waited for, and should wait for them once', async () => {
    const seen: unknown[] = [];
    const query = {
      then: (resolve: (value: string) => void) => {
        seen.push(nameInScope());
        resolve('rows');
      },
    };
    expect(await scopes.run(createScope('a'), () => query as PromiseLike<string>)).toBe('rows');
    expect(seen).toEqual(['a']);
  });

  it('should end with the call, also for what the function has begun and not awaited', async () => {
    const later = new Deferred();
    let floating: Promise<string | undefined> | undefined;
    await scopes.run(createScope('a'), async () => {
      floating = later.promise.then(nameInScope);
      await Promise.resolve();
    });
    await scopes.run(createScope('b'), async () => {
      later.resolve();
      expect(await floating).toBeUndefined();
      expect(nameInScope()).toBe('b');
    });
  });

  it('should end if the function throws, and if its promise is rejected', async () => {
    expect(() => scopes.run(createScope('a'), () => JSON.parse('{') as unknown)).toThrow(SyntaxError);
    expect(currentScope()).toBeUndefined();
    await expect(scopes.run(createScope('a'), () => Promise.reject(new Error('It fails.')))).rejects.toThrow(
      'It fails.',
    );
    expect(currentScope()).toBeUndefined();
  });

  it("should leave the users' own storages alone", async () => {
    const storage = new AsyncLocalStorage<string>();
    const seen = await storage.run('request', async () => {
      await scopes.run(createScope('a'), () => Promise.resolve());
      await new Promise((resolve) => setImmediate(resolve));
      return scopes.run(createScope('b'), async () => {
        await Promise.resolve();
        return storage.getStore();
      });
    });
    expect(seen).toBe('request');
  });

  it('should end with its process, also if the function never returns', async () => {
    const abandoned = new InvocationScopes();
    const gate = new Deferred();
    const never = new Promise<never>(() => undefined);
    let seen: unknown;
    void abandoned.run(createScope('a'), async () => {
      await gate.promise;
      seen = nameInScope();
      await never;
    });
    const other = scopes.run(createScope('b'), () => gate.promise.then(nameInScope));
    abandoned.abandon();
    gate.resolve();
    expect(await other).toBe('b');
    expect(seen).toBeUndefined();
  });
});
