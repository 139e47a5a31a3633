/**
 * The form in which addresses are stored and compared. Canonically equivalent characters are normalized; look-alikes
 * of other scripts stay different, as they do for mail servers.
 */
export function foldEmail(address: string): string {
  return address.trim().normalize("NFC").toLowerCase();
}
