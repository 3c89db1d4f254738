export { AddressGuard, ForbiddenAddressError, type Resolver } from './address-guard.ts';
export { isAllowedAddress, type Range, rangesIn } from './public-address.ts';
