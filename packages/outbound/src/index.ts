export { AddressGuard, addressIn, ForbiddenAddressError, type Resolver } from './address-guard.ts';
export { guardedRequest, RequestTimeoutError } from './guarded-request.ts';
