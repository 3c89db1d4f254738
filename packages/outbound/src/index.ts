export { AddressGuard, addressIn, ForbiddenAddressError, refusalReason } from './address-guard.ts';
export { type GuardedRequest, guardedRequest, RequestTimeoutError } from './guarded-request.ts';
export type { Resolve } from './name-resolver.ts';
export { allowsEveryPort } from './public-address.ts';
