import { SetMetadata } from '@nestjs/common';

/** Sets the metadata of `@ApiExcludeEndpoint()`, so that the package of Swagger is not needed: probes are no part of an application's API. */
export function HideFromSwagger(): MethodDecorator {
  return SetMetadata('swagger/apiExcludeEndpoint', { disable: true });
}
