import { fromJson } from '../../../cel/values/json.value.js';
import { compileCondition, ConditionError } from './match.condition.js';

const VARIABLES = {
  object: fromJson({
    metadata: { name: 'web-1', labels: { a: 'b' } },
    spec: { count: 3, ratio: 1.5, sizes: [1, 3, 2] },
  }),
  oldObject: null,
  request: fromJson({ operation: 'CREATE', userInfo: { username: 'admin', groups: ['system:masters'] } }),
};

describe('compileCondition', () => {
  it.each([
    ['object.spec.count > 2', true],
    ['object.spec.count == 3', true],
    ['object.spec.ratio > 1.0', true],
    ['object.spec.ratio > 1', true],
    ['oldObject == null', true],
    ['has(object.spec.missing)', false],
    ['object.metadata.?labels.b.orValue("none") == "none"', true],
    ['!("system:nodes" in request.userInfo.groups)', true],
    ['request.operation in ["CREATE", "UPDATE"]', true],
    ['object.spec.sizes.all(size, size < 3)', false],
    ['object.metadata.name.matches("^web-[0-9]+$")', true],
    ['object.metadata.name.find("[0-9]+") == "1"', true],
    ['object.metadata.name.replace("web", "app") == "app-1"', true],
    ['object.spec.sizes.isSorted()', false],
    ['object.spec.sizes.sum() == 6', true],
    ['object.spec.sizes.max() == 3 && object.spec.sizes.min() == 1', true],
  ])('should evaluate %s', (expression, expected) => {
    expect(compileCondition(expression)(VARIABLES)).toBe(expected);
  });

  it.each([
    [
      'nobody == 1',
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'nobody' (in container '')\n | nobody == 1\n | ^",
    ],
    [
      'true &&\n nobody',
      "compilation failed: ERROR: <input>:2:2: undeclared reference to 'nobody' (in container '')\n |  nobody\n | .^",
    ],
    ['"text"', 'must evaluate to bool but got string'],
    ['object.spec.enabled', 'must evaluate to bool but got dyn'],
  ])('should refuse to compile %s', (expression, message) => {
    expect(() => compileCondition(expression)).toThrow(new ConditionError(message));
  });

  it.each([
    ['object.spec.missing == 1', 'no such key: missing'],
    ['oldObject.metadata.name == "x"', 'no such key: metadata'],
  ])('should say why %s has no value', (expression, message) => {
    expect(() => compileCondition(expression)(VARIABLES)).toThrow(new ConditionError(message));
  });
});
