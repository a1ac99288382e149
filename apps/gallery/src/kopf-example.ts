import { CustomResource, PreserveUnknownFields } from 'nestjs-kopf/crd';

/** The resource of all exhibits, whose objects can have any fields; its CRD is generated. */
@CustomResource({ group: 'kopf.dev', shortNames: ['kopfexes', 'kopfex', 'kex'] })
export class KopfExample {
  @PreserveUnknownFields()
  spec?: Record<string, any>;
}
