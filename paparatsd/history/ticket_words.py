"""Words that stand before a dash and a number, or before `#` and a number, without being tickets.

A Jira key has the form of many names: encodings, algorithms, standards, products with a version.
Three rules tell them apart. Names that are never a project's are listed in `_NEVER`. Names that
are products *and* may be projects (JDK-8234567 is a bug, JDK-17 a version) are in `_VERSIONED`:
below 100 they are versions. A number in front of or behind another dash or dot ("ISO-8859-1",
"LLVM-14.0") is none, which is in the pattern of `tickets.py`, not here.
"""

from __future__ import annotations

_ENCODINGS = """
    ANSI ASCII BASE BIG BOCU CESU CP EBCDIC EUC GB GBK IBM ISCII JIS KOI KS LATIN MACROMAN
    PUNYCODE ROT SCSU SHIFT TIS UCS UNICODE UTF VISCII WINDOWS
"""
_ALGORITHMS = """
    ADLER AES ARGON BCRYPT BLAKE BLOWFISH CAMELLIA CBC CCM CHACHA CIPHER CMAC CRC CTR DES DH DSA
    ECC ECDH ECDSA ED EDDSA FNV GCM GMAC GOST HMAC HOTP HPKE KDF KECCAK LZ MD MUL MURMUR NIST P
    PBKDF PCG POLY POLYVAL RC RIPEMD RMD RSA SALSA SHA SHAKE SIPHASH SM TDES TEA TOTP TWOFISH
    WHIRLPOOL XTEA XXH XXHASH XXTEA
"""
_STANDARDS = """
    ADR AIP ANSI APA ATA BCP BEP BIP BS BSI CAPEC CC CCITT CEA CIP CIS CLDR CSA CVE CVSS CWE DEP
    DIN DO DSDL EAL ECMA EIA EIP EN ERC ES ETSI FIPS FIRST GDPR GEP GHSA HIP IAS IEC IEEE IETF
    IFRS IPC ISA ISBN ISO ISSN ITU JCP JEDEC JEP JSR KEP KIP MIL MISRA NEMA NEP NFPA NIP NIPS
    OWASP PCI PEP PEPS POSIX PSR RFC RFCS RFP SAE SAML SEI SEMI SIP SLSA SMPTE SOC STD TC TEP TIP
    TLP TR UAX UL UN UTR UTS WCAG XEP ZIP
"""
_PROTOCOLS = """
    ALPN BGP CIFS DHCP DNS DOCSIS DTLS FTP GRPC HTTP HTTPS ICMP IGMP IKE IMAP IP IPSEC IPV IRC JWT
    KERBEROS LDAP LTE MIME MQTT NFS NTLM NTP OAUTH OSPF PKCS POP QUIC RADIUS RIP RTP SCTP SFTP SMB
    SMTP SNMP SOAP SOCKS SPDY SSH SSL SSLV TCP TFTP TLS TLSV UDP USB VLAN WEP WPA WS X XMPP
"""
_HARDWARE = """
    AARCH ALPHA AMD ARM ARMV ATMEGA AVR AVX BGA BMI CORTEX CPU CUDA DDR DIMM DIP EPYC ESP FMA GPIO
    GPU HDMI I IA INTEL ITANIUM LPDDR LTO M MIPS MMX MSP NEON NFC NVIDIA NVME PCIE POWER PPC QFN
    QFP RAID RAM RISC RISCV RS RTX RV RYZEN S SATA SCSI SIMD SOIC SOT SPARC SSE STM SVE TQFP UART
    VFP VT XEON Z
"""
_FORMATS = """
    AAC AC AV BC BF BFLOAT BIT BITS BT COMPLEX DOLBY DVB DVD DXT EXT FAT FLOAT FP GIF H HDR HE
    HEVC HFS INT JP JPEG JPG L LATEX LONG LZMA MJPEG MKV MP MPEG MPG NTFS PCM PNG REC RGB RGBA
    SHORT SRGB TIFF U UFS UHD UINT VC VHS VP WEBP XVID YCBCR YUV
"""
_MODELS = "BERT CLAUDE CLIP COVID DALL GEMINI GEMMA GPT LLAMA LLM MISTRAL PHI QWEN RESNET SARS VGG"
_LICENCES = """
    AFL AGPL AGPLV APACHE APSL ASL BSD BSL CC CDDL CPAL CPL ECL EPL EUPL FDL GFDL GPL GPLV LGPL
    LGPLV MIT MPL NCSA ODBL OFL OSL PSF UNLICENSE WTFPL ZLIB
"""
_TIMES = """
    ACDT AEST APR APRIL AUG AUGUST BST CEST CET CST CY DAY DEC DECEMBER EDT EEST EET EST FEB
    FEBRUARY FRI FY GMT HKT IST JAN JANUARY JST JUL JULY JUN JUNE KST KW MAR MARCH MAY MDT MON MSK
    MST NOV NOVEMBER NZST OCT OCTOBER PDT PST Q SAT SEP SEPT SEPTEMBER SGT SUN THU TUE UTC WED
    WEEK YEAR
"""
_PARTS = """
    A ALPHA APPENDIX BETA BUILD CH CHANNEL CHAPTER CLASS COL COLUMN COUNT DEPTH EOF ERR ERROR EXIT
    FIG FIGURE GROUP HEAD HTTPS ID IDX INDEX ITEM LANE LAYER LEN LENGTH LEVEL LINE LOOP LVL MAX
    MILESTONE MIN MODE MR N NO NOTE NUM NUMBER OFFSET OPTION OPTIONS PAGE PARA PART PASS PATCH
    PHASE PORT PR PRE PRIO PRIORITY RC RELEASE REV REVISION ROUND ROW SECTION SHARD SIZE SLOT
    SPRINT STAGE STATUS STEP TABLE TIER TOP TYPE V VER VERSION VOL VOLUME ZONE
"""
_VERSIONS = """
    ANGULAR API BOOST C CENTOS CHROME CLANG CPYTHON CSS CUDNN D DB DEBIAN DOTNET EL ES FEDORA FF
    FIREFOX FREEBSD GCC GLIBC GNOME GO GTK HTML IE IIS IOS JAVA JDK JRE JSON KDE LINUX LLVM LUA
    MAC MACOS MONGO MSVC MYSQL NET NETBSD NODE NODEJS OPENBSD OPENGL OPENSSL ORACLE OS OSX PERL PG
    PHP POSTGRES PY PYPY PYTHON QT RAILS REACT REDIS RHEL RUBY RUST SCALA SDK SLES SPDX SPRING SQL
    SQLITE SUSE SWIFT TLA TOMCAT TS UBUNTU VIM VS VUE WIN XML XSD XSLT YAML ZSH
"""

_NEVER = frozenset(
    " ".join(
        (_ENCODINGS, _ALGORITHMS, _STANDARDS, _PROTOCOLS, _HARDWARE, _FORMATS, _MODELS, _LICENCES,
         _TIMES, _PARTS)
    ).split()
)  # fmt: skip
_VERSIONED = frozenset(_VERSIONS.split()) - _NEVER
MIN_TICKET_OF_PRODUCT = 100

COUNTED = frozenset(
    """
    answer attempt build byte case chapter char character column comment commit core cpu day episode
    example experiment figure frame iteration item job level line lesson mistake note page param
    paragraph part pass phase pipeline place player point port position problem question reason
    revision round row rule run section slide slot solution stage step test thread tip try version
    warning week workflow
    """.split()  # noqa: SIM905 - a table of words is read as lines
)
"""After these words a number below 100 counts something: "attempt #3"."""
RUNS = frozenset({"build", "comment", "commit", "job", "line", "pipeline", "run", "workflow"})
"""After these words any number does: "job #8123"."""
RANKED = frozenset({"the", "our", "your", "my", "as", "ranked", "is", "are", "we're", "number"})
"""After these words `#1` is a rank."""
COLOUR_WORDS = frozenset(
    """
    background bg border brand color colors colour colours css dark fill foreground gradient gray
    grey hex light outline palette rgb rgba scss shade stroke theme tint
    """.split()  # noqa: SIM905 - a table of words is read as lines
)
FROM_TO = frozenset({"from", "to", "with", "by", "use", "as", "is", "->", "→", "=>", "=", ":"})
"""In a line about colours, what follows one of these is a colour."""
TICKET_WORDS = frozenset(
    """
    bug bugs closes closed close closing fix fixed fixes fixing gh issue issues mr of pr prs pull
    ref refs reference references related relates request resolve resolved resolves resolving see
    ticket tickets task merge
    """.split()  # noqa: SIM905 - a table of words is read as lines
)
"""After these words a number of six digits is a ticket, elsewhere a colour."""


def is_ticket_name(name: str, number: int) -> bool:
    """Say whether `NAME-number` is a Jira key by its name, and not a standard or a version."""
    for word in (name, name.rstrip("0123456789")):
        if len(word) < 2 or word in _NEVER:
            return False
        if word in _VERSIONED and number < MIN_TICKET_OF_PRODUCT:
            return False
    return True
