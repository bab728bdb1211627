#include "base/personal/words.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/personal/characters.h"

namespace parlance::personal {

namespace {

struct Meaning {
    Cues cues;
    std::string_view words;
};

/// In lower case. Names of HTML tags are skipped words.
constexpr std::array kMeanings{
    Meaning{kFiller,
            "a actual af also alternate alternative am an and applicant are as b back best bitte "
            "business by caller changed cliente code complete correct current customer customers "
            "das date dd de del den der des details di die direct div dt du e el em employee en "
            "es est evening file following for found full gave given has have here him holder "
            "home i il in is ist it's its jetzt la le les li line listed lost me member mi mine "
            "mon neu new now of office old only or out p patient person personal please preferred "
            "primary private provided reads real registered said says secondary span still strong "
            "subscriber sur td th that the them these this tr u und unter updated us user using "
            "was were with work you"},
    Meaning{kFiller | kHost, "from"},
    Meaning{kFiller | kToward | kHost, "at"},
    Meaning{kToward, "on to via"},
    Meaning{kMine, "her his ihre mein meine my our sein their your"},
    Meaning{kNumber, "nbr no nos nr num number numbers numero nummer numéro n° nº número"},
    Meaning{kFiller | kThing, "id"},
    Meaning{kPhone,
            "callback cel cell cellphone cellular cellulare celular desk fax gsm handy "
            "handynummer hotline landline mob mobil mobile mobilnummer movil msisdn móvil pager "
            "ph phone phonenumber phones portable rufnummer sms tel telefon telefone "
            "telefonnummer telefono telefoon telephone telf teléfono tfno tlf tél téléphone "
            "voicemail whatsapp"},
    Meaning{kCall, "call called calling dial ring"},
    Meaning{kReach,
            "answer answering answers contactable contacted message messages reach reached"},
    Meaning{kReach | kHint, "text"},
    Meaning{kContact, "contact contacts daytime emergency kontakt"},
    Meaning{kSsn, "ss ssn ssno ssns"},
    Meaning{kItin, "itin tin"},
    Meaning{kSin, "nas sin"},
    Meaning{kNino, "ni nino"},
    Meaning{kSocial, "soc social sociale"},
    Meaning{kSecurity, "sec securite security sécurité"},
    Meaning{kInsurance, "assurance d'assurance insurance"},
    Meaning{kNational, "national"},
    Meaning{kBirth,
            "bday birth birthdate birthday birthdays born dateofbirth dob född födelsedatum "
            "fødselsdag fødselsdato geb geboortedatum geboren geborene geburtsdatum geburtstag "
            "nacida nacido nacimiento nacio nació naissance nascida nascido nascimento nascita "
            "nata nato né née urodzona urodzony"},
    Meaning{kDriver, "conducir conduire driver driver's drivers driving"},
    Meaning{kLicence, "lic licence licencia license"},
    Meaning{kLicence | kDriver,
            "dl fuehrerschein führerschein führerscheinnr patente permis rijbewijs"},
    Meaning{kPassport, "pasaporte paspoort passaporto passeport passnummer passport reisepass"},
    Meaning{kCard,
            "amex card cardnumber cards carta cartao carte cartão cc credit creditcard "
            "creditcards debit diners discover jcb karte kartennummer kreditkarte "
            "kreditkartennummer maestro mastercard pan rupay tarjeta unionpay visa"},
    Meaning{kIban, "iban"},
    Meaning{kAccount,
            "account accounts acct bank bban beneficiary compte conto cuenta konto kontonummer "
            "pay payee rekening remit remittance transfer transferred transfers wire wired"},
    Meaning{kHost,
            "addr address addresses allow ban banned bind blocked client connect connected "
            "connection deny destination device dns dst endpoint gateway host hostname interface "
            "ip ips ipv listen listening login machine network node peer ping proxy remote root "
            "router server source src ssh subnet telnet"},
    Meaning{kVersion,
            "android apache app article browser build chrome chromium clause docker edge figure "
            "firefox firmware fw gitlab ios java jdk kernel kubernetes lib library linux macos "
            "module mysql nginx oid openssl os package paragraph patch php plugin postgres "
            "postgresql python redis release rev revision rule safari schema sdk section semver "
            "software tomcat update upgrade v ver version windows"},
    Meaning{kThing,
            "api apt batch booking bus case celebration chapter dhl ean event fedex flat flight "
            "function gate gtin imei invoice isbn issue item lot lottery method model order "
            "orders page pages parcel part party plz po postcode procedure product room row rpc "
            "sample score scores seat serial shipment sku suite tcp ticket tool tracking train "
            "transaction unit upc ups usps vin waybill zip"},
};

struct Word {
    std::string_view word;
    Cues cues;
};

template <class Use>
constexpr void each_word(Use use) {
    for (const Meaning& meaning : kMeanings) {
        std::string_view left = meaning.words;
        while (!left.empty()) {
            const std::size_t size = std::min(left.find(' '), left.size());
            use(Word{left.substr(0, size), meaning.cues});
            left.remove_prefix(std::min(size + 1, left.size()));
        }
    }
}

constexpr std::size_t kWordCount = [] {
    std::size_t count = 0;
    each_word([&count](const Word&) { ++count; });
    return count;
}();

/// Ignores case; other bytes are hashed unchanged.
constexpr std::uint32_t hash_of(std::string_view word) {
    std::uint32_t hash = 2'166'136'261U;
    for (const char c : word) hash = (hash ^ static_cast<unsigned char>(lower(c))) * 16'777'619U;
    return hash ^ hash >> 15U;
}

/// A word is stored at the index given by its hash, or at the next free index.
constexpr std::size_t kPlaces = 2'048;
static_assert(kPlaces > 3 * kWordCount);
using Dictionary = std::array<Word, kPlaces>;

constexpr Dictionary kDictionary = [] {
    Dictionary dictionary{};
    each_word([&dictionary](const Word& word) {
        std::size_t place = hash_of(word.word) % kPlaces;
        while (!dictionary[place].word.empty() && dictionary[place].word != word.word) {
            place = (place + 1) % kPlaces;
        }
        dictionary[place] = word;
    });
    return dictionary;
}();

constexpr bool has_repeats() {
    std::size_t count = 0;
    for (const Word& word : kDictionary) count += word.word.empty() ? 0U : 1U;
    return count != kWordCount;
}
static_assert(!has_repeats());

}  // namespace

Cues cues_of_word(std::string_view written) {
    if (written.empty() || written.size() > kWordBytesMax || !is_letter(written[0])) return 0;
    for (std::size_t place = hash_of(written) % kPlaces; !kDictionary[place].word.empty();
         place = (place + 1) % kPlaces) {
        const std::string_view word = kDictionary[place].word;
        const bool is_said =
            word.size() == written.size() && std::ranges::equal(word, written, {}, {}, lower);
        if (is_said) return kDictionary[place].cues;
    }
    return 0;
}

}  // namespace parlance::personal
