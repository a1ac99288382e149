import * as v from 'class-validator';
import { CustomResource } from './custom-resource.decorator.js';
import { customResourceDefinition } from './custom-resource.definition.js';
import { checkCustomResourceDefinition } from './definition.check.js';
import { CelRule } from './rule.decorators.js';

const RULE = 'self.all(x, self.all(y, x == y || x != y))';

describe('checkCustomResourceDefinition()', () => {
  it('should give the estimated costs of rules', async () => {
    class Spec {
      @CelRule(RULE) @v.ArrayMaxSize(10) @v.MaxLength(5, { each: true }) names: string[];
    }
    @CustomResource({ group: 'example.com', spec: Spec })
    class Cheap {}
    const [cost, ...rest] = await checkCustomResourceDefinition(customResourceDefinition(Cheap));
    expect(rest).toEqual([]);
    expect(cost.field).toMatch(/names\]?\.x-kubernetes-validations\[0\]\.rule$/);
    expect(cost.cost).toBeGreaterThan(0);
  });

  it('should refuse rules that are too expensive, with the figure', async () => {
    class Spec {
      @CelRule(RULE) @v.IsString({ each: true }) names: string[];
    }
    @CustomResource({ group: 'example.com', spec: Spec })
    class Expensive {}
    await expect(checkCustomResourceDefinition(customResourceDefinition(Expensive))).rejects.toThrow(
      /expensives\.example\.com .*names.*rule: Forbidden: estimated rule cost exceeds budget.* The estimated cost is \d+/,
    );
  });

  it('should refuse what else the API server refuses', async () => {
    class Spec {
      @CelRule('self.size() > oops') @v.IsString() name: string;
    }
    @CustomResource({ group: 'example.com', spec: Spec })
    class Wrong {}
    await expect(checkCustomResourceDefinition(customResourceDefinition(Wrong))).rejects.toThrow(
      /undeclared reference to 'oops'/,
    );
  });

  it('should say which package is missing', async () => {
    @CustomResource({ group: 'example.com' })
    class Empty {}
    const missing = Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' });
    const check = checkCustomResourceDefinition(customResourceDefinition(Empty), () => Promise.reject(missing));
    await expect(check).rejects.toThrow('npm install -D embedded-kube');
  });
});
