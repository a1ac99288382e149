import { join } from 'node:path';
import { compile } from '../docs/support/compiler.js';

const OPERATOR = `import * as kopf from 'nestjs-kopf';
export class Operator {
  @kopf.OnCreate('pods', { timeot: 5 }) misspelt() {}
  @kopf.OnStartup({ retris: 5 }) ofActivity() {}
  static module = kopf.KopfModule.forRoot({ namespace: 'a' });
  static group = kopf.KopfModule.forRoot({ posting: { enabld: true } });
  @kopf.OnCreate('pods') create(context: kopf.DaemonContext) { return context; }
}`;

/** Ends a compilation that hangs, in milliseconds. */
const COMPILATION_TIMEOUT = 600_000;

describe('The messages of the compiler', () => {
  it(
    'should name misspelt options with a suggestion, and the context that a method must take',
    { timeout: COMPILATION_TIMEOUT },
    async () => {
      const messages = await compile(new Map([[join(import.meta.dirname, 'operator.page.ts'), OPERATOR]]));
      expect(messages).toEqual([
        expect.stringMatching(
          /:3: [^]*'timeot' does not exist in type 'CreateOptions'. Did you mean to write 'timeout'\?$/m,
        ),
        expect.stringMatching(
          /:4: .*'retris' does not exist in type 'RetryOptions'. Did you mean to write 'retries'\?$/,
        ),
        expect.stringMatching(/:5: .*Did you mean to write 'namespaces'\?$/),
        expect.stringMatching(/:6: .*Did you mean to write 'enabled'\?$/),
        expect.stringMatching(/:7: [^]* & MethodMustTake<ChangeContext<any, any, any, any>>'/),
      ]);
    },
  );
});
