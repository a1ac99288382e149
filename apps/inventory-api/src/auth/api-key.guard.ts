import { Inject, Injectable, UnauthorizedException, type CanActivate, type ExecutionContext } from '@nestjs/common';

/** Injection token of the key that requests need. */
export const API_KEY = Symbol('API_KEY');

/** Lets only requests with the key in. It guards the whole API; the operator's handlers are not requests, and are not affected. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(@Inject(API_KEY) private readonly key: string) {}

  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string | undefined> }>();
    if (headers['x-api-key'] !== this.key) throw new UnauthorizedException('The header x-api-key is missing or wrong.');
    return true;
  }
}
