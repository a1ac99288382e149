import { LIBRARY_SCHEMAS } from '../../../../../test/support/objects/schema.libraries.js';
import { CustomResource } from '../custom-resource.decorator.js';
import { customResourceDefinition } from '../custom-resource.definition.js';

const text = { type: 'string' };

describe.each(LIBRARY_SCHEMAS)('A schema of %s', (_library, spec) => {
  it('should become the schema of the CRD', () => {
    @CustomResource({ group: 'example.com', spec })
    class Disk {}
    const [version] = customResourceDefinition(Disk).spec.versions;
    const { required, properties } = version.schema.openAPIV3Schema;
    expect(required).toEqual(['spec']);
    expect(properties?.spec).toMatchObject({
      type: 'object',
      required: ['size'],
      properties: {
        size: { ...text, description: 'The size, such as 1Gi.', pattern: '^\\d+Gi$' },
        replicas: { type: 'integer', minimum: 1, maximum: 5, default: 1 },
        mode: { ...text, enum: ['fast', 'slow'] },
        port: { 'x-kubernetes-int-or-string': true },
        labels: { type: 'object', additionalProperties: text },
        mail: { ...text, format: 'email' },
        since: { ...text, format: 'date-time' },
        note: { ...text, nullable: true },
        mounts: {
          type: 'array',
          maxItems: 4,
          items: {
            type: 'object',
            required: ['name', 'path'],
            properties: { name: text, path: { ...text, minLength: 1 } },
          },
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    });
  });
});
